package cer

// checkPackage compares the package around the bundle with it.
//
// See docs/spec.md, "Packages".
func (e *evaluation) checkPackage(signature *Value) {
	if e.aroundReseal() {
		e.checkAroundReseal()
		return
	}
	if created := e.pack.Get("createdAt"); created.given() && !equal(created, e.bundle.Get("createdAt")) {
		e.mismatch("package.createdAt", "not the bundle's")
	}
	if e.pack.Get("resealedCertificateHash").given() {
		e.mismatch("package.resealedCertificateHash", "around a bundle that is not a reseal")
	}
	e.same("package.receipt", e.pack.Get("receipt"), e.receipt.value)
	meta := e.bundle.Get("meta")
	attestation, summary := meta.Get("attestation"), e.pack.Get("attestation")
	e.same("package.attestation.receipt", receiptIn(summary), e.receipt.value)
	e.checkCopies("package", e.pack, signature, false)
	e.checkCopies("package.attestation", summary, signature, false)
	for _, name := range []string{"verificationEnvelope", "verificationEnvelopeSignature"} {
		e.same(at("package", name), e.pack.Get(name), meta.Get(name))
	}
	for _, name := range []string{"attestationId", "nodeRuntimeHash"} {
		e.same(at("package", name), e.pack.Get(name), attestation.Get(name))
	}
	if summary.is(Object) {
		for _, name := range summary.Names {
			if name != "timestamp" {
				e.same(at("package.attestation", name), summary.Get(name), attestation.Get(name))
			}
		}
	}
}

// same compares two values where both are there.
func (e *evaluation) same(member string, a, b *Value) {
	if a.given() && b.given() && !equal(a, b) {
		e.mismatch(member, "differs from the same value in the bundle")
	}
}

// checkAroundReseal compares what is around a reseal with the original that its provenance names.
func (e *evaluation) checkAroundReseal() {
	original := e.bundle.Path("meta", "provenance", "original")
	receipt := original.Get("receipt")
	type copied struct {
		name string
		want *Value
	}
	compare := func(path string, in *Value, copies ...copied) {
		for _, c := range copies {
			if found := in.Get(c.name); found.given() && !equal(found, c.want) {
				e.mismatch(at(path, c.name), "not the original's")
			}
		}
	}
	kid, when := given(receipt.Get("kid"), receipt.Get("attestorKeyId")), given(receipt.Get("timestamp"), receipt.Get("attestedAt"))
	signature := original.Get("signature")
	copies := []copied{{"signature", signature}, {"signatureB64Url", signature},
		{"certificateHash", original.Get("certificateHash")}, {"nodeId", receipt.Get("nodeId")},
		{"kid", kid}, {"attestorKeyId", kid}, {"attestedAt", when}, {"issuedAt", when}}
	compare("package", e.pack, copied{"resealedCertificateHash", e.bundle.Get("certificateHash")}, copied{"receipt", receipt})
	compare("package", e.pack, copies...)
	summary, attestation := e.pack.Get("attestation"), e.bundle.Path("meta", "attestation")
	if found := receiptIn(summary); found != nil && !equal(found, receipt) {
		e.mismatch("package.attestation.receipt", "not the original's")
	}
	compare("package.attestation", summary, copies...)
	// The attestations of a reseal and of its original share these.
	for _, name := range []string{"attestationId", "nodeRuntimeHash", "protocolVersion"} {
		e.same(at("package", name), e.pack.Get(name), attestation.Get(name))
		e.same(at("package.attestation", name), summary.Get(name), attestation.Get(name))
	}
}

// checkOriginal compares the provenance of a reseal with its receipt.
//
// See docs/spec.md, "signed-redacted-reseal".
func (e *evaluation) checkOriginal() {
	if !e.shape.reseal || e.receipt.kind != "reseal" {
		return
	}
	signed, provenance := e.receipt.value, e.bundle.Path("meta", "provenance")
	for _, name := range []string{"originalCertificateHash", "redactionPolicy"} {
		if claimed := provenance.Get(name); claimed != nil && !equal(claimed, signed.Get(name)) {
			e.mismatch(at("meta.provenance", name), "not what the receipt says")
		}
	}
	if claimed := provenance.Get("redactedAt"); claimed != nil && !equal(claimed, e.receipt.when) {
		e.mismatch("meta.provenance.redactedAt", "not what the receipt says")
	}
	if provenance.is(Object) && !provenance.Get("kind").isText("redacted_reseal") {
		e.mismatch("meta.provenance.kind", "not that of a reseal")
	}
	original := provenance.Get("original")
	if !original.is(Object) || e.options.Keys == nil {
		return // without keys the reseal's own receipt is reported as uncheckable already
	}
	const path = "meta.provenance.original"
	named := signed.Get("originalCertificateHash")
	if claimed := original.Get("certificateHash"); claimed != nil && !equal(claimed, named) {
		e.mismatch(path+".certificateHash", "not what the receipt says")
	}
	r, _ := readReceipt(original.Get("receipt"))
	if r == nil || !original.Get("signature").given() || r.kind != "full" && r.kind != "older" ||
		!equal(r.value.Get("certificateHash"), named) || !equal(r.value.Get("nodeId"), signed.Get("nodeId")) {
		e.mismatch(path+".receipt", "not a signed receipt of this node over the original's hash")
		return
	}
	if code, member := e.checkSignature(r, original.Get("signature"), path); code != "" {
		e.fault(code, member, "the original's signature or its key")
	}
}
