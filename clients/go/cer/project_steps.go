package cer

import "slices"

// checkRegistry checks the registry by itself.
//
// See docs/spec.md, "Project structure".
func (p *project) checkRegistry() {
	total := p.bundle.Get("totalSteps")
	if !total.is(Number) || total.Number != float64(len(p.registry)) {
		p.structure("totalSteps", "not the length of the registry")
	}
	if p.bundle.Get("stepRegistry").is(Array) && len(p.registry) == 0 {
		p.structure("stepRegistry", "no step")
	}
	for _, name := range []string{"stepId", "sequence", "certificateHash", "executionId"} {
		seen := map[string]bool{}
		for i, entry := range p.registry {
			member := entry.Get(name)
			if member == nil {
				continue
			}
			text, err := Canonicalize(member, SvcV1, "")
			if err == nil && seen[text] {
				p.structure(index("stepRegistry", i)+"."+name, "not unique")
			}
			seen[text] = true
		}
	}
}

// checkParents checks that parents are registered and form no cycle, by removing steps without open parents.
func (p *project) checkParents() {
	open := map[string]int{}
	children := map[string][]string{}
	ready := []string{}
	for _, entry := range p.registry {
		open[entry.Get("stepId").text()] = 0
	}
	for i, entry := range p.registry {
		id := entry.Get("stepId").text()
		parents := entry.Get("parentStepIds")
		if !isStrings(parents) {
			continue
		}
		for _, parent := range parents.Items {
			if _, known := open[parent.Text]; !known {
				p.structure(index("stepRegistry", i)+".parentStepIds", "not a registered step")
				continue
			}
			open[id]++
			children[parent.Text] = append(children[parent.Text], id)
		}
	}
	for id, count := range open {
		if count == 0 {
			ready = append(ready, id)
		}
	}
	done := len(ready)
	for len(ready) > 0 {
		id := ready[0]
		ready = ready[1:]
		for _, child := range children[id] {
			if open[child]--; open[child] == 0 {
				ready = append(ready, child)
				done++
			}
		}
	}
	if done < len(open) {
		p.structure("stepRegistry", "a cycle of parents")
	}
}

func (p *project) embedded(entry *Value) *Value {
	return p.bundle.Get("embeddedBundles").Get(entry.Get("stepId").text())
}

// withdrawn reports a step that is listed as such and absent, in the public form under a passing receipt.
func (p *project) withdrawn(entry *Value) bool {
	return p.public && p.embedded(entry) == nil && p.listed[entry.Get("stepId").text()]
}

// checkEmbedded compares the embedded bundles with the registry.
func (p *project) checkEmbedded() {
	embedded := p.bundle.Get("embeddedBundles")
	if !embedded.is(Object) {
		p.structure("embeddedBundles", "not an object")
		return
	}
	registered := map[string]bool{}
	for i, entry := range p.registry {
		registered[entry.Get("stepId").text()] = true
		if p.repeated[entry] {
			continue
		}
		path := index("stepRegistry", i)
		bundle := p.embedded(entry)
		if bundle == nil {
			if !p.withdrawn(entry) {
				p.structure(path, "no embedded bundle")
			}
			continue
		}
		if !bundle.is(Object) {
			p.structure(path, "not an embedded bundle")
			continue
		}
		if bundle.Has("bundle") || bundle.Has("cer") {
			p.structure(path, "a package, not the bundle itself")
			continue
		}
		if !bundle.Get("certificateHash").isText(entry.Get("certificateHash").text()) && !isReseal(bundle) {
			p.structure(path+".certificateHash", "not the hash of the embedded bundle")
		}
		for _, name := range []string{"executionId", "modelIdentity"} {
			a, b := entry.Get(name), bundle.Path("snapshot", name)
			if a != nil && b != nil && !equal(a, b) && !(isReseal(bundle) && b.isText(redacted)) {
				p.structure(at(path, name), "not that of the snapshot")
			}
		}
	}
	for _, name := range embedded.Names {
		if !registered[name] {
			p.structure("embeddedBundles", "a step that is not registered")
			break
		}
	}
}

// isReseal reports a reseal in the place of a step; the evaluation of the step shows whether it may be there.
func isReseal(bundle *Value) bool {
	return bundle.Get("bundleType").isText(resealType)
}

// checkListed compares steps, where present, with the registry.
func (p *project) checkListed() {
	steps := p.bundle.Get("steps")
	if steps == nil {
		return
	}
	if !steps.is(Array) || len(steps.Items) != len(p.registry) {
		p.structure("steps", "not one object for each step")
		return
	}
	for i, entry := range p.registry {
		step := steps.Items[i]
		same := step.is(Object) && equal(step.Get("certificateHash"), entry.Get("certificateHash"))
		for _, name := range []string{"stepId", "sequence", "executionId", "modelIdentity", "parentStepIds", "stepLabel", "stepType"} {
			a, b := step.Get(name), entry.Get(name)
			same = same && (a == nil || b == nil || equal(a, b))
		}
		if !same {
			p.structure(index("steps", i), "not the step of the registry")
		}
	}
}

// checkChain checks the links between the steps.
//
// See docs/spec.md, "Chains".
func (p *project) checkChain() {
	chained := slices.ContainsFunc(p.registry, func(entry *Value) bool {
		return p.embedded(entry).Path("snapshot", "prevStepHash").given()
	})
	if !chained {
		return
	}
	var last *Value
	for i, entry := range p.registry {
		link := p.embedded(entry).Path("snapshot", "prevStepHash")
		broken := i == 0 && link.given()
		if i > 0 && !p.withdrawn(entry) {
			hidden := isReseal(p.embedded(entry)) && (link == nil || link.isText(redacted))
			broken = !hidden && !equal(link, p.registry[i-1].Get("certificateHash"))
		}
		if broken && !p.repeated[entry] {
			p.fault("CHAIN_BREAK_DETECTED",
				at("embeddedBundles", entry.Get("stepId").text())+".snapshot.prevStepHash", "not the hash of the step before")
		}
		if sequence := entry.Get("sequence"); sequence.is(Number) {
			if last != nil && sequence.Number != last.Number+1 {
				p.fault("CHAIN_BREAK_DETECTED", index("stepRegistry", i)+".sequence", "not contiguous")
			}
			last = sequence
		}
	}
}

// checkSteps verifies every embedded bundle by itself.
func (p *project) checkSteps() {
	for _, entry := range p.registry {
		step := Step{StepID: entry.Get("stepId").text(), Status: "VERIFIED", Code: "OK"}
		bundle := p.embedded(entry)
		switch {
		case p.repeated[entry]:
			step.Status, step.Code = "FAILED", "STEP_REGISTRY_MISMATCH"
		case bundle == nil && p.withdrawn(entry):
			step.Status, step.Code = "WITHDRAWN", "INCOMPLETE_ARTIFACT"
			if p.options.RequireAttestation || p.options.RequireFullArtifact {
				step.Status = "FAILED"
			}
		case bundle == nil:
			step.Status, step.Code = "FAILED", "INCOMPLETE_ARTIFACT"
		case bundle.is(Object) && (bundle.Has("bundle") || bundle.Has("cer")):
			step.Status, step.Code = "FAILED", "STEP_REGISTRY_MISMATCH"
		default:
			p.checkStep(entry, bundle, &step)
		}
		p.report.Steps = append(p.report.Steps, step)
	}
}

func (p *project) checkStep(entry, bundle *Value, step *Step) {
	ownReseal := isReseal(bundle) && equal(bundle.Get("certificateHash"), entry.Get("certificateHash"))
	report := Verify(bundle, p.options)
	findings := slices.Clone(report.Findings)
	if bundle.Get("bundleType").isText(hashOnly) || ownReseal {
		findings = append(findings, Finding{Code: "INCOMPLETE_ARTIFACT", Member: "bundleType", Detail: "not a whole certificate"})
		sortFindings(findings)
	}
	if len(findings) > 0 {
		step.Status, step.Code = "FAILED", findings[0].Code
		return
	}
	named := bundle.Get("certificateHash")
	if p.public && isReseal(bundle) && report.Provenance == "proven" {
		named = bundle.Path("meta", "attestation", "receipt", "originalCertificateHash")
	}
	if !equal(named, entry.Get("certificateHash")) {
		step.Status, step.Code = "FAILED", "STEP_REGISTRY_MISMATCH"
		return
	}
	step.Status = report.Status
	if report.Checks.NodeSignature == Pass && report.Checks.ReceiptConsistency == Pass {
		p.report.AttestedSteps++
	}
}
