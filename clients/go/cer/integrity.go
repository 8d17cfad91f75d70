package cer

import "slices"

// verifyIntegrity is layer 1.
//
// See docs/spec.md, "Layer 1: integrity" and "Hash scope".
func (e *evaluation) verifyIntegrity() {
	b, s := e.bundle, e.shape
	e.checkPlaces()
	if !e.readable() {
		return
	}
	if !IsHash(b.Get("certificateHash")) {
		e.fault("INVALID_SHA256_FORMAT", "certificateHash", "not a hash")
	}
	e.checkVersion()
	snapshot := b.Get("snapshot")
	switch s.layout {
	case layoutHashOnly:
		if !snapshot.is(Null) {
			e.fault("SCHEMA_ERROR", "snapshot", "not null")
		}
		return
	case layoutFlat:
		e.checkFlat()
	default:
		e.checkCreatedAt()
		e.checkContext()
		e.checkNames(snapshot)
	}
	switch s.layout {
	case layoutV1:
		e.checkV1(snapshot)
	case layoutV2:
		e.checkV2(snapshot)
		e.checkProtectedSet()
	case layoutRender:
		e.checkRender(snapshot)
	}
	// Values and evidence are checked in a bundle of the right form.
	if !slices.ContainsFunc(e.findings, func(f Finding) bool { return slices.Contains(formCodes, f.Code) }) {
		e.findings = append(e.findings, e.values...)
	}
	e.values = nil
	e.checkCertificateHash(e.scope())
}

var formCodes = codeOrder[:slices.Index(codeOrder, "CANONICALIZATION_ERROR")]

// checkPlaces: meta, and where a receipt is present the attestations, are objects.
func (e *evaluation) checkPlaces() {
	meta := e.bundle.Get("meta")
	if meta != nil && !meta.is(Object) {
		e.fault("SCHEMA_ERROR", "meta", "not an object")
	}
	if e.foundReceipt() == nil && !e.pack.Get("receipt").is(Object) {
		return
	}
	for _, c := range []struct {
		path string
		in   *Value
	}{{"meta.attestation", meta}, {"package.attestation", e.pack}} {
		if found := c.in.Get("attestation"); found.given() && !found.is(Object) {
			e.fault("SCHEMA_ERROR", c.path, "not an object")
		}
	}
}

// readable reports whether type, layout, snapshot and protocol are known; else nothing more of the form is checked.
func (e *evaluation) readable() bool {
	s, snapshot := e.shape, e.bundle.Get("snapshot")
	switch {
	case s.layout == layoutUnknown && (s.reseal || e.bundle.Get("bundleType").isText("legacy")):
		path := "snapshot"
		if snapshot != nil {
			path = "snapshot.type"
		}
		e.unsupported(path, "not a layout of this type")
	case s.layout == layoutUnknown:
		e.unsupported("bundleType", "not a known type")
	case s.layout == layoutHashOnly:
		return true
	case s.layout != layoutFlat && !snapshot.is(Object):
		e.fault("SCHEMA_ERROR", "snapshot", "not an object")
	default:
		e.relax(snapshot)
		path := "snapshot.protocolVersion"
		if s.layout == layoutFlat {
			path = "protocolVersion"
		}
		if s.protocol != "" {
			return true
		}
		e.unsupported(path, "not a known protocol")
	}
	return false
}

// relax notes what an older bundle lacks.
//
// See docs/spec.md, "legacy".
func (e *evaluation) relax(snapshot *Value) {
	note := func(is bool, name string) {
		if is {
			e.relaxations = append(e.relaxations, name)
		}
	}
	isV1 := e.shape.layout == layoutV1 && !e.shape.reseal
	note(e.shape.layout == layoutFlat, "flat-render-record")
	note(isV1 && !snapshot.Has("type"), "snapshot-type-absent")
	note(isV1 && !snapshot.Has("executionSurface"), "execution-surface-absent")
}

// scope names the members that the hash is over.
func (e *evaluation) scope() []string {
	switch e.shape.layout {
	case layoutUnknown, layoutHashOnly:
		return nil
	case layoutFlat:
		return flatScope
	case layoutV2:
		return append([]string{"protectedSet"}, hashScope...)
	}
	return hashScope
}

var hashScope = []string{"bundleType", "version", "createdAt", "snapshot", "context", "contextSummary", "policyEvaluation"}

func (e *evaluation) unsupported(member, detail string) {
	e.add(Finding{Code: "SCHEMA_ERROR", Member: member, Detail: detail, Reason: "SCHEMA_VERSION_UNSUPPORTED"})
}

func (e *evaluation) checkVersion() {
	expected := "0.1"
	switch e.shape.layout {
	case layoutFlat:
		return
	case layoutV2:
		expected = "0.2"
	}
	if !e.bundle.Get("version").isText(expected) {
		e.unsupported("version", "not "+expected)
	}
}

func (e *evaluation) checkCreatedAt() {
	if createdAt := e.bundle.Get("createdAt"); createdAt == nil && !e.resealed() {
		e.fault("SCHEMA_ERROR", "createdAt", "missing")
	} else {
		e.optional("createdAt", createdAt, isTime)
	}
}

// checkCertificateHash compares certificateHash with the one computed.
func (e *evaluation) checkCertificateHash(scope []string) {
	if e.shape.profile == "" {
		return
	}
	computed, err := hashCanonical(e.bundle.pick(scope...), e.shape.profile, "")
	if err != nil {
		e.fault("CANONICALIZATION_ERROR", err.Path, err.Rule)
		return
	}
	stated := e.bundle.Get("certificateHash")
	if !IsHash(stated) || stated.Text == computed || e.contextExcluded(stated.Text, scope) {
		return
	}
	e.add(Finding{Code: "CERTIFICATE_HASH_MISMATCH", Member: "certificateHash", Detail: "not the computed hash",
		Expected: stated.Text, Computed: computed})
}

// contextExcluded accepts the hash without context, for reseals of older nodes under keys that say so, where nothing
// else is wrong.
func (e *evaluation) contextExcluded(stated string, scope []string) bool {
	if !e.older || len(e.findings) > 0 || !e.bundle.Has("context") || !e.options.Keys.contextUnprotected(e.receipt.kid, e.receipt.time) {
		return false
	}
	without := []string{}
	for _, name := range scope {
		if name != "context" {
			without = append(without, name)
		}
	}
	computed, err := hashCanonical(e.bundle.pick(without...), e.shape.profile, "")
	if err != nil || computed != stated {
		return false
	}
	e.noContext = true
	e.relaxations = append(e.relaxations, "context-excluded")
	return true
}

// The members that a flat render record is hashed over.
//
// See docs/spec.md, "legacy".
var flatScope = []string{"bundleType", "version", "createdAt", "protocolVersion", "sdkVersion", "runtimeHash", "codeHash",
	"seed", "varsHash", "executionId", "timestamp", "width", "height", "mode", "totalFrames", "fps", "animationHash", "posterHash"}

func (e *evaluation) checkFlat() {
	if e.shape.protocol != "1.2.0" && e.shape.protocol != "1.3.0" {
		e.unsupported("protocolVersion", "not 1.2.0 or 1.3.0")
	}
	for _, name := range []string{"runtimeHash", "codeHash", "varsHash", "animationHash", "posterHash"} {
		if member := e.bundle.Get(name); member != nil && !IsHash(member) {
			e.fault("INVALID_SHA256_FORMAT", name, "not a hash")
		}
	}
}
