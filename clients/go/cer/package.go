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
	e.checkCopies("package", e.pack, signature, false)
	meta := e.bundle.Get("meta")
	attestation, summary := meta.Get("attestation"), e.pack.Get("attestation")
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
	for _, c := range []struct {
		name string
		want *Value
	}{
		{"resealedCertificateHash", e.bundle.Get("certificateHash")}, {"certificateHash", original.Get("certificateHash")},
		{"receipt", receipt}, {"signature", original.Get("signature")}, {"signatureB64Url", original.Get("signature")},
		{"nodeId", receipt.Get("nodeId")}, {"kid", given(receipt.Get("kid"), receipt.Get("attestorKeyId"))},
		{"attestorKeyId", given(receipt.Get("kid"), receipt.Get("attestorKeyId"))},
		{"issuedAt", given(receipt.Get("timestamp"), receipt.Get("attestedAt"))},
	} {
		if found := e.pack.Get(c.name); found.given() && !equal(found, c.want) {
			e.mismatch(at("package", c.name), "not the original's")
		}
	}
	summary := e.pack.Get("attestation")
	e.same("package.attestation.certificateHash", summary.Get("certificateHash"), original.Get("certificateHash"))
	e.same("package.attestation.attestedAt", summary.Get("attestedAt"), given(receipt.Get("timestamp"), receipt.Get("attestedAt")))
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
	original := provenance.Get("original")
	if !original.is(Object) {
		return
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
	if e.options.Keys == nil {
		return // the reseal's own receipt is reported as uncheckable already
	}
	if code, member := e.checkSignature(r, original.Get("signature"), path); code != "" {
		e.fault(code, member, "the original's signature or its key")
	}
}
