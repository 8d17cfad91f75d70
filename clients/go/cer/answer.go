package cer

// Answer evaluates one case file of the conformance suite, {kind, bundle, keySet, options}, and returns what the
// suite compares: the members of a result, or {refused, member} where the parser refuses the text of the bundle.
func Answer(file *Value) *Value {
	value, fault := Parse([]byte(file.Get("bundle").text()))
	if fault != nil {
		result := newObject()
		result.set("refused", textValue(fault.Code))
		result.set("member", textValue(fault.Path))
		return result
	}
	options := Options{
		NodeID:              file.Path("options", "nodeId").text(),
		RequireAttestation:  file.Path("options", "requireAttestation").isTrue(),
		RequireFullArtifact: file.Path("options", "requireFullArtifact").isTrue(),
	}
	if set := file.Get("keySet"); set.is(Object) {
		keys, ok := ParseKeySet(set)
		if !ok {
			return newObject()
		}
		options.Keys = keys
	}
	if file.Get("kind").isText("project") {
		return projectResult(VerifyProject(value, options))
	}
	return bundleResult(Verify(value, options))
}

func texts(list []string) *Value {
	array := &Value{Kind: Array}
	for _, text := range list {
		array.Items = append(array.Items, textValue(text))
	}
	return array
}

// textOrNull is null for what a result does not have.
func textOrNull(text string) *Value {
	if text == "" {
		return &Value{Kind: Null}
	}
	return textValue(text)
}

func truth(b bool) *Value { return &Value{Kind: Bool, Bool: b} }
func count(n int) *Value  { return &Value{Kind: Number, Number: float64(n)} }
func firstMember(findings []Finding) *Value {
	if len(findings) == 0 {
		return &Value{Kind: Null}
	}
	return textValue(findings[0].Member)
}

func bundleResult(r Report) *Value {
	result, checks := newObject(), newObject()
	checks.set("bundleIntegrity", textValue(r.Checks.BundleIntegrity))
	checks.set("nodeSignature", textValue(r.Checks.NodeSignature))
	checks.set("receiptConsistency", textValue(r.Checks.ReceiptConsistency))
	checks.set("envelope", textValue(r.Checks.Envelope))
	result.set("checks", checks)
	for name, text := range map[string]string{"status": r.Status, "code": r.Code, "classification": r.Classification,
		"contentMode": r.ContentMode, "provenance": r.Provenance} {
		result.set(name, textOrNull(text))
	}
	result.set("reasonCodes", texts(r.ReasonCodes))
	result.set("relaxations", texts(r.Relaxations))
	result.set("supplemental", truth(r.Supplemental))
	result.set("member", firstMember(r.Findings))
	return result
}

func projectResult(r ProjectReport) *Value {
	result := newObject()
	codes, statuses := []string{}, []string{}
	for _, step := range r.Steps {
		codes = append(codes, step.Code)
		statuses = append(statuses, step.Status)
	}
	for name, text := range map[string]string{"status": r.Status, "code": r.Code, "nodeReceipt": r.NodeReceipt} {
		result.set(name, textValue(text))
	}
	result.set("steps", texts(codes))
	result.set("stepStatuses", texts(statuses))
	result.set("structuralValid", truth(r.StructuralValid))
	result.set("projectHashValid", truth(r.ProjectHashValid))
	result.set("attestedSteps", count(r.AttestedSteps))
	result.set("passedSteps", count(r.PassedSteps))
	result.set("member", firstMember(r.Findings))
	return result
}
