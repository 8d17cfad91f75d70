package cer

// checkReceipt checks the node's receipt for the project.
//
// See docs/spec.md, "Project receipt".
func (p *project) checkReceipt() string {
	b := p.bundle
	attestation := b.Path("meta", "attestation")
	found := given(attestation.Get("receipt"), b.Get("receipt"), p.body.Get("receipt"))
	signature := given(attestation.Get("signature"), b.Get("signature"), p.body.Get("signature"))
	if found == nil && signature == nil && !attestation.given() {
		return Skipped
	}
	if attestation.given() && !attestation.is(Object) {
		return Fail // a fault of form
	}
	before := len(p.findings)
	r, code := readReceipt(found)
	switch {
	case signature == nil:
		p.fault("ATTESTATION_MISSING", "meta.attestation.receipt", "without its signature")
		return Fail
	case code != "":
		p.fault(p.options.Keys.before(code), "meta.attestation.receipt", "not a receipt")
		return Fail
	case r.kind != "project":
		p.fault(p.options.Keys.before("ATTESTATION_INVALID_SIGNATURE"), "meta.attestation.receipt", "not a receipt of a project")
		return Fail
	}
	e := &evaluation{options: p.options}
	if code, member := e.checkSignature(r, signature, "meta.attestation"); code != "" {
		p.fault(code, member, "the signature or its key")
	}
	if !equal(r.value.Get("projectHash"), b.Path("integrity", "projectHash")) {
		p.fault("ATTESTATION_INVALID_SIGNATURE", "meta.attestation.receipt.projectHash", "another project")
	}
	if !e.thisNode(r.value.Get("nodeId").Text) {
		p.fault("ATTESTATION_INVALID_SIGNATURE", "meta.attestation.receipt.nodeId", "another node")
	}
	places := []struct {
		path string
		in   *Value
	}{{"meta.attestation", attestation}, {"", b}}
	if p.body != b {
		places = append(places, struct {
			path string
			in   *Value
		}{"", p.body})
	}
	for _, place := range places {
		for _, name := range []string{"receipt", "signature", "projectHash", "registeredAt", "nodeId", "kid"} {
			want := r.value.Get(name)
			if name == "receipt" {
				want = r.value
			} else if name == "signature" {
				want = signature
			}
			if member := place.in.Get(name); member.given() && !equal(member, want) {
				p.fault("ATTESTATION_INVALID_SIGNATURE", at(place.path, name), "a copy that differs")
			}
		}
	}
	if len(p.findings) > before {
		return Fail
	}
	return Pass
}
