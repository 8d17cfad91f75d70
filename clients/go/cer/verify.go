package cer

// Options are what the caller pins and demands. Keys may be nil: then nothing that is signed can be checked.
type Options struct {
	Keys                *KeySet
	NodeID              string
	RequireAttestation  bool
	RequireFullArtifact bool
}

// The literal of a removed value, and the type of a reseal.
const (
	redacted   = "[REDACTED]"
	resealType = "signed-redacted-reseal"
	hashOnly   = "hash-only-timestamp"
)

// evaluation is the one evaluation of a bundle that every layer writes its findings to.
type evaluation struct {
	options     Options
	pack        *Value // the package around the bundle, or the bundle itself
	bundle      *Value
	shape       shape
	findings    []Finding
	values      []Finding // of values and of the evidence of tools
	relaxations []string
	checks      Checks
	receipt     *receipt
	older       bool // read as a reseal of an older node
	resealOnly  bool // labelled as such, and not intact as the type that the bundle states
	noContext   bool // the excluded context of an older reseal

	envelopeChecked bool // layer 3 compares the protocolVersion of meta.attestation
}

func (e *evaluation) add(finding Finding) { e.findings = append(e.findings, finding) }

func (e *evaluation) value(finding Finding) { e.values = append(e.values, finding) }

func (e *evaluation) fault(code, member, detail string) {
	e.add(Finding{Code: code, Member: member, Detail: detail})
}

// Verify evaluates a bundle, a package, or either of them as {bundle}.
//
// See docs/spec.md, "Verification".
func Verify(v *Value, options Options) Report {
	e := &evaluation{options: options, checks: Checks{Fail, Skipped, Skipped, Skipped}}
	if e.unwrap(v) {
		e.shape = e.readShape()
		// A label that any attacker can add must not excuse the broken envelope of a bundle that is intact without it.
		e.resealOnly = e.labelled() && !e.intact()
		e.checks.Envelope = e.verifyEnvelope()
		envelope := e.findings
		e.findings = nil
		e.verifyReceipt()
		receipt := e.findings
		e.findings = nil
		e.older = e.readsAsOlderReseal()
		if e.older && e.resealOnly {
			e.checks.Envelope = e.verifyEnvelope()
			envelope = e.findings
			e.findings = nil
		}
		e.verifyIntegrity()
		e.checks.BundleIntegrity = Pass
		if len(e.findings) > 0 {
			e.checks.BundleIntegrity = Fail
		}
		e.demands()
		e.findings = append(append(e.findings, receipt...), envelope...)
	}
	return e.report()
}

// intact reports whether the bundle is intact as the type that it states.
func (e *evaluation) intact() bool {
	e.verifyIntegrity()
	found := e.findings
	e.findings, e.relaxations = nil, nil
	return len(found) == 0
}

// unwrap finds the bundle, and the package around it.
//
// See docs/spec.md, "Packages".
func (e *evaluation) unwrap(v *Value) bool {
	if !v.is(Object) {
		e.fault("SCHEMA_ERROR", "", "not an object")
		return false
	}
	path, outer := "", v
	for range 2 {
		holders := 0
		for _, name := range []string{"snapshot", "cer", "bundle"} {
			if v.Has(name) {
				holders++
			}
		}
		if holders > 1 {
			e.fault("SCHEMA_ERROR", path, "more than one of a bundle, cer and bundle")
			return false
		}
		if path != "" || !v.Has("bundle") {
			break
		}
		path = "bundle"
		if v = v.Get("bundle"); !v.is(Object) {
			e.fault("SCHEMA_ERROR", path, "not an object")
			return false
		}
	}
	if v.Has("bundle") {
		e.fault("SCHEMA_ERROR", path, "{bundle} within {bundle}")
		return false
	}
	cer := v.Get("cer")
	if cer != nil && !cer.is(Object) {
		e.fault("SCHEMA_ERROR", at(path, "cer"), "not an object")
		return false
	}
	for _, held := range []*Value{outer, v, cer} {
		if held.Get("bundleType").isText(projectType) {
			e.fault("SCHEMA_ERROR", "bundleType", "a project bundle")
			return false
		}
	}
	// Beside the members of a bare bundle only evidence counts as what is around it; others are unknown members.
	e.pack, e.bundle = v.pick(attestedParts...), v
	if cer != nil {
		e.pack, e.bundle = v, cer
	}
	return true
}

// demands are the caller's.
//
// See docs/spec.md, "Overall status".
func (e *evaluation) demands() {
	if e.options.RequireFullArtifact && (e.resealed() || e.shape.layout == layoutHashOnly) {
		e.fault("INCOMPLETE_ARTIFACT", "bundleType", "a full artefact was demanded")
	}
	if e.options.RequireAttestation && e.checks.NodeSignature == Skipped {
		e.fault("ATTESTATION_MISSING", "meta.attestation", "an attestation was demanded")
	}
}

func (e *evaluation) resealed() bool { return e.shape.reseal || e.older }

func (e *evaluation) receiptPasses() bool {
	return e.checks.NodeSignature == Pass && e.checks.ReceiptConsistency == Pass
}

func (e *evaluation) report() Report {
	sortFindings(e.findings)
	report := Report{
		Status: "FAILED", Code: firstCode(e.findings), Checks: e.checks, ReasonCodes: reasonCodes(e.findings),
		CertificateHash: e.bundle.Get("certificateHash").text(), BundleType: e.bundle.Get("bundleType").text(),
		Classification: "FAILED", Relaxations: append([]string{}, e.relaxations...), Findings: append([]Finding{}, e.findings...),
		Supplemental: e.supplemental(), Provenance: e.provenance(),
	}
	if e.shape.protocol == "1.3.1" {
		report.ContentMode = "HASH_BOUND"
	}
	if report.Code == "OK" {
		report.Status, report.Classification = "VERIFIED", "VERIFIED"
		if len(e.relaxations) > 0 {
			report.Classification = "LEGACY_VERIFIED"
		} else if e.shape.protocol == "1.3.1" && e.receiptPasses() && e.sealedBoth() {
			report.Status = "VERIFIED_CONFIDENTIAL"
		}
	}
	if report.Supplemental {
		report.ReasonCodes = append(report.ReasonCodes, "CONTEXT_NOT_PROTECTED")
	}
	if report.Code == "VERIFICATION_MATERIAL_UNAVAILABLE" ||
		report.Code == "ATTESTATION_MISSING" && e.shape.layout == layoutHashOnly {
		report.Classification = "UNVERIFIABLE"
	}
	return report
}

func (e *evaluation) sealedBoth() bool {
	snapshot := e.bundle.Get("snapshot")
	return isSealed(snapshot.Get("input")) && isSealed(snapshot.Get("output"))
}

// supplemental reports members outside the hash scope.
//
// See docs/spec.md, "Supplemental content".
func (e *evaluation) supplemental() bool {
	names := []string{"signals", "declaration"}
	switch e.shape.layout {
	case layoutUnknown:
		return false
	case layoutHashOnly, layoutFlat:
		names = append(names, "context", "contextSummary", "policyEvaluation")
	}
	for _, name := range names {
		if e.bundle.Get(name).given() {
			return true
		}
	}
	return e.noContext
}

// provenance of a reseal is believed only where the receipt says the same.
func (e *evaluation) provenance() string {
	switch {
	case e.shape.reseal && e.receiptPasses():
		return "proven"
	case e.resealed() || e.labelled():
		return "claimed"
	}
	return ""
}
