package cer

var (
	envelopeScope = []string{"bundleType", "version", "createdAt", "snapshot", "context", "contextSummary"}
	envelopeFive  = []string{"attestationId", "attestedAt", "kid", "nodeRuntimeHash", "protocolVersion"}
	// The names that receipts have for two of the five.
	envelopeOtherNames = map[string]string{"kid": "attestorKeyId", "attestedAt": "timestamp"}
)

// verifyEnvelope is layer 3.
//
// See docs/spec.md, "Verification envelope" and "Layer 3: envelope".
func (e *evaluation) verifyEnvelope() string {
	const path = "meta.verificationEnvelope"
	meta := e.bundle.Get("meta")
	envelope, signature := meta.Get("verificationEnvelope"), meta.Get("verificationEnvelopeSignature")
	if !e.aroundReseal() {
		envelope = given(envelope, e.pack.Get("verificationEnvelope"))
		signature = given(signature, e.pack.Get("verificationEnvelopeSignature"))
	}
	envelope, signature = given(envelope), given(signature)
	projection := e.bundle.pick(envelopeScope...)
	if envelope == nil && signature == nil {
		return Skipped
	}
	if envelope == nil {
		e.mismatch(path, "missing beside its signature")
		return Fail
	}
	if signature == nil {
		e.mismatch("meta.verificationEnvelopeSignature", "missing")
		return Fail
	}
	if e.shape.reseal || e.older && e.resealOnly || e.bundle.pick(e.scope()...).contains(redacted) {
		return Skipped
	}
	// The envelope of what is a reseal alone is checked only where the receipt, which comes after it, does not hold.
	e.envelopeChecked = !e.resealOnly
	if !envelope.is(Object) {
		e.mismatch(path, "not an object")
		return Fail
	}
	if !envelope.Get("envelopeType").isText("svc.verification.envelope.v2") {
		e.mismatch(path+".envelopeType", "not a known type")
		return Fail
	}
	signed := envelope.Get("attestation")
	if !fiveFormed(signed) {
		e.mismatch(path+".attestation", "not exactly the five members in their form")
		return Fail
	}
	attestation := meta.Get("attestation")
	if !attestation.is(Object) {
		attestation = e.pack.Get("attestation")
	}
	receipt := e.foundReceipt()
	for _, name := range envelopeFive {
		stated := attestation.Get(name)
		if stated == nil {
			stated = given(receipt.Get(name), receipt.Get(envelopeOtherNames[name]))
		}
		same := equal(signed.Get(name), stated)
		if name == "protocolVersion" {
			same = same && equal(signed.Get(name), e.shape.effective)
		}
		if !same {
			e.mismatch(path+".attestation."+name, "not that of meta.attestation")
		}
	}
	if kid := envelope.Get("kid"); kid != nil && !equal(kid, signed.Get("kid")) {
		e.mismatch(path+".kid", "a copy that differs")
	}
	if len(e.findings) == 0 {
		e.checkEnvelopeSignature(signed, projection, signature)
	}
	if len(e.findings) > 0 {
		return Fail
	}
	return Pass
}

func (e *evaluation) checkEnvelopeSignature(signed, projection, signature *Value) {
	payload := newObject()
	payload.set("attestation", signed)
	payload.set("bundle", projection)
	message, err := Canonicalize(payload, JcsV1, "")
	if err != nil {
		e.mismatch("meta.verificationEnvelope", "no canonical form")
		return
	}
	when, _ := ParseTime(signed.Get("attestedAt"))
	key, code := e.options.Keys.choose(signed.Get("kid").Text, when)
	switch {
	case code == "VERIFICATION_MATERIAL_UNAVAILABLE":
		e.fault(code, "meta.verificationEnvelope.attestation.kid", "no usable key")
	case code != "":
		e.mismatch("meta.verificationEnvelope.attestation.kid", "no usable key")
	case !verifyStrict(key, message, signature.text()):
		e.mismatch("meta.verificationEnvelopeSignature", "not a valid signature")
	}
}

func fiveFormed(signed *Value) bool {
	if !signed.is(Object) || len(signed.Names) != len(envelopeFive) {
		return false
	}
	for _, name := range envelopeFive {
		if !signed.Get(name).is(String) {
			return false
		}
	}
	return isTime(signed.Get("attestedAt"))
}
