package cer

import (
	"slices"
	"time"
)

// receipt is a well-formed receipt of one of the five disjoint sets of members.
type receipt struct {
	kind  string // "full", "hash-only", "reseal", "project" or "older"
	value *Value
	kid   string
	when  *Value // the signed time as it is written
	time  time.Time
}

type receiptSet struct {
	names []string
	time  string
	kid   string
}

var bundleSet = []string{"certificateHash", "timestamp", "nodeId", "kid"}

var receiptSets = map[string]receiptSet{
	"full":      {bundleSet, "timestamp", "kid"},
	"hash-only": {append([]string{"scope"}, bundleSet...), "timestamp", "kid"},
	"reseal":    {append([]string{"scope", "originalCertificateHash", "redactionPolicy"}, bundleSet...), "timestamp", "kid"},
	"project":   {[]string{"projectHash", "registeredAt", "nodeId", "kid"}, "registeredAt", "kid"},
	"older": {[]string{"receiptVersion", "attestationId", "attestedAt", "attestorKeyId", "certificateHash", "nodeId",
		"nodeRuntimeHash", "protocolVersion", "timestampType"}, "attestedAt", "attestorKeyId"},
}

func receiptKind(v *Value) string {
	switch {
	case v.Has("receiptVersion"):
		return "older"
	case v.Get("scope").isText("hash-only"):
		return "hash-only"
	case v.Get("scope").isText("reseal"):
		return "reseal"
	case v.Has("projectHash") && !v.Has("scope"):
		return "project"
	}
	return "full"
}

// readReceipt reads a receipt, or returns the code of what is wrong with its form.
//
// See docs/spec.md, "Receipt".
func readReceipt(v *Value) (*receipt, string) {
	if !v.is(Object) {
		return nil, "ATTESTATION_MISSING"
	}
	kind := receiptKind(v)
	set := receiptSets[kind]
	for _, name := range set.names {
		if !v.Has(name) {
			return nil, "ATTESTATION_MISSING"
		}
	}
	formed := len(v.Names) == len(set.names)
	for _, name := range set.names {
		member, form := v.Get(name), rule(isString)
		switch name {
		case "certificateHash", "projectHash", "originalCertificateHash", "nodeRuntimeHash":
			form = IsHash
		case set.time:
			form = isTime
		}
		formed = formed && form(member)
	}
	if !formed {
		return nil, "ATTESTATION_INVALID_SIGNATURE"
	}
	when, _ := ParseTime(v.Get(set.time))
	return &receipt{kind, v, v.Get(set.kid).Text, v.Get(set.time), when}, ""
}

// receiptIn is the receipt of an attestation: its member, or the receipt laid flat among its members.
//
// See docs/spec.md, "Attestation".
func receiptIn(attestation *Value) *Value {
	set := receiptSets["reseal"]
	switch {
	case attestation.Get("receipt").given():
		return attestation.Get("receipt")
	case attestation.Get("receiptVersion").given():
		set = receiptSets["older"]
	case !attestation.Get("timestamp").is(String):
		return nil
	}
	names := slices.DeleteFunc(slices.Clone(set.names), func(name string) bool { return !attestation.Get(name).given() })
	return attestation.pick(names...)
}

// given returns the first value other than null.
func given(values ...*Value) *Value {
	for _, v := range values {
		if v.given() {
			return v
		}
	}
	return nil
}

// aroundReseal reports a package whose receipt and signature are those of the original.
func (e *evaluation) aroundReseal() bool {
	return e.pack.Get("resealedCertificateHash").given() && e.shape.reseal
}

// verifyReceipt is layer 2.
//
// See docs/spec.md, "Layer 2: receipt".
func (e *evaluation) verifyReceipt() {
	meta := e.bundle.Get("meta")
	attestation := meta.Get("attestation")
	found := e.foundReceipt()
	signature := given(attestation.Get("signature"), attestation.Get("signatureB64Url"))
	if !e.aroundReseal() {
		summary := e.pack.Get("attestation")
		signature = given(signature, e.pack.Get("signature"), e.pack.Get("signatureB64Url"),
			summary.Get("signature"), summary.Get("signatureB64Url"))
	}
	if found == nil && signature == nil && !attestation.given() && !e.anyPart() && e.shape.layout != layoutHashOnly {
		return
	}
	e.checks.NodeSignature, e.checks.ReceiptConsistency = Fail, Fail
	r, code := readReceipt(found)
	if signature == nil && code != "ATTESTATION_MISSING" {
		e.fault("ATTESTATION_MISSING", "meta.attestation.signature", "missing")
		return
	}
	if code != "" {
		if first := e.options.Keys.before(code); first != code {
			e.fault(first, "meta.attestation.receipt", "no keys")
		}
		e.fault(code, "meta.attestation.receipt", "not a receipt")
		return
	}
	e.receipt = r
	if code, member := e.checkSignature(r, signature, "meta.attestation"); code == "" {
		e.checks.NodeSignature = Pass
	} else {
		e.fault(code, member, "the signature or its key")
	}
	before := len(e.findings)
	e.checkBinding(r, signature)
	e.checkOriginal()
	if len(e.findings) == before {
		e.checks.ReceiptConsistency = Pass
	}
}

// foundReceipt is the receipt of the bundle, else that of the package.
//
// See docs/spec.md, "Packages".
func (e *evaluation) foundReceipt() *Value {
	found := receiptIn(e.bundle.Path("meta", "attestation"))
	if found == nil && !e.aroundReseal() {
		found = given(e.pack.Get("receipt"), receiptIn(e.pack.Get("attestation")))
	}
	return found
}

var attestedParts = []string{"receipt", "signature", "signatureB64Url", "attestation", "verificationEnvelope",
	"verificationEnvelopeSignature"}

// anyPart reports a part of an attestation other than meta.attestation.
func (e *evaluation) anyPart() bool {
	meta := e.bundle.Get("meta")
	return given(meta.Get("verificationEnvelope"), meta.Get("verificationEnvelopeSignature"),
		e.pack.Get("receipt"), e.pack.Get("signature"), e.pack.Get("signatureB64Url"), e.pack.Get("attestation"),
		e.pack.Get("verificationEnvelope"), e.pack.Get("verificationEnvelopeSignature")) != nil
}

// checkSignature chooses the key and verifies the signature over the receipt.
func (e *evaluation) checkSignature(r *receipt, signature *Value, path string) (code, member string) {
	key, code := e.options.Keys.choose(r.kid, r.time)
	if code != "" && key == nil {
		return code, path + ".receipt"
	}
	message, err := Canonicalize(r.value, JcsV1, "")
	if err != nil || !verifyStrict(key, message, signature.text()) {
		return "ATTESTATION_INVALID_SIGNATURE", path + ".signature"
	}
	if code != "" {
		return code, path + ".receipt"
	}
	return "", ""
}

func (e *evaluation) mismatch(member, detail string) {
	e.fault("ATTESTATION_INVALID_SIGNATURE", member, detail)
}

// thisNode reports whether a nodeId is that of the key set and of the pin, where there are such.
func (e *evaluation) thisNode(nodeID string) bool {
	return (e.options.Keys == nil || e.options.Keys.NodeID == nodeID) &&
		(e.options.NodeID == "" || e.options.NodeID == nodeID)
}

// checkBinding checks that the receipt is about this bundle and node, and that no copy differs.
func (e *evaluation) checkBinding(r *receipt, signature *Value) {
	const path = "meta.attestation.receipt"
	if hash := r.value.Get("certificateHash"); hash != nil && !equal(hash, e.bundle.Get("certificateHash")) {
		e.mismatch(path+".certificateHash", "another hash")
	}
	if !e.thisNode(r.value.Get("nodeId").Text) {
		e.mismatch(path+".nodeId", "another node")
	}
	fits := r.kind == "full" || r.kind == "older"
	if e.shape.reseal {
		fits = r.kind == "reseal"
	} else if e.shape.layout == layoutHashOnly {
		fits = r.kind == "hash-only"
	}
	if !fits {
		e.mismatch(path+".scope", "not the scope of this type")
	}
	attestation := e.bundle.Path("meta", "attestation")
	e.checkCopies("meta.attestation", attestation, signature, e.envelopeChecked)
	e.checkPackage(signature)
}

// checkCopies compares the unsigned copies in an object with the signed values.
//
// See docs/spec.md, "Attestation".
func (e *evaluation) checkCopies(path string, copies, signature *Value, protocolAnswered bool) {
	signed := e.receipt.value
	for _, c := range []struct {
		name string
		want *Value
	}{
		{"certificateHash", signed.Get("certificateHash")}, {"nodeId", signed.Get("nodeId")},
		{"kid", textValue(e.receipt.kid)}, {"attestorKeyId", textValue(e.receipt.kid)},
		{"attestedAt", e.receipt.when}, {"issuedAt", e.receipt.when}, {"timestamp", e.receipt.when},
		{"bundleType", e.bundle.Get("bundleType")},
		{"originalCertificateHash", signed.Get("originalCertificateHash")}, {"redactionPolicy", signed.Get("redactionPolicy")},
		{"attestationId", signed.Get("attestationId")}, {"nodeRuntimeHash", signed.Get("nodeRuntimeHash")},
		{"protocolVersion", signed.Get("protocolVersion")},
		{"signature", signature}, {"signatureB64Url", signature},
	} {
		found := copies.Get(c.name)
		if !found.given() || c.want == nil && c.name != "bundleType" || c.name == "timestamp" && !found.is(String) ||
			c.name == "protocolVersion" && protocolAnswered {
			continue
		}
		if !equal(found, c.want) {
			e.mismatch(at(path, c.name), "a copy that differs")
		}
	}
	// A hash-only bundle has no protocol, and a mistyped one is a finding of layer 1.
	isText := e.shape.effective.is(String) && e.shape.layout != layoutHashOnly
	if found := copies.Get("protocolVersion"); found.given() && !protocolAnswered && isText && !equal(found, e.shape.effective) {
		e.mismatch(at(path, "protocolVersion"), "a copy that differs")
	}
}
