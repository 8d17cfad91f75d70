package cer

import (
	"math"
	"slices"
	"strings"
)

const projectType = "cer.project.bundle.v1"

// ProjectReport is the result for a project bundle.
//
// See docs/spec.md, "Project verification" and "POST /v1/project-bundle/verify".
type ProjectReport struct {
	Status           string    `json:"status"`
	Code             string    `json:"code"`
	ProjectHash      string    `json:"projectHash"`
	ProjectHashValid bool      `json:"projectHashValid"`
	StructuralValid  bool      `json:"structuralValid"`
	TotalSteps       int       `json:"totalSteps"`
	PassedSteps      int       `json:"passedSteps"`
	AttestedSteps    int       `json:"attestedSteps"`
	Steps            []Step    `json:"steps"`
	NodeReceipt      string    `json:"nodeReceipt"`
	Findings         []Finding `json:"findings"`
}

// Step is the result for one step of a project.
type Step struct {
	StepID string `json:"stepId"`
	Status string `json:"status"`
	Code   string `json:"code"`
}

type project struct {
	options  Options
	bundle   *Value
	body     *Value
	registry []*Value
	findings []Finding
	report   ProjectReport
	public   bool
	// listed has the steps that the bundle lists as withdrawn.
	listed map[string]bool
	// repeated has the entries whose step is registered before them: a hostile registry may name one large bundle in
	// each of its entries, and it is judged where it is first named.
	repeated map[*Value]bool
}

func (p *project) fault(code, member, detail string) {
	p.findings = append(p.findings, Finding{Code: code, Member: member, Detail: detail})
}

func (p *project) structure(member, detail string) { p.fault("STEP_REGISTRY_MISMATCH", member, detail) }

// VerifyProject evaluates a project bundle, or one as {bundle}.
func VerifyProject(v *Value, options Options) ProjectReport {
	p := &project{options: options, bundle: v, body: v, report: ProjectReport{NodeReceipt: Skipped}}
	if v.Has("bundle") && !v.Get("bundleType").isText(projectType) {
		p.bundle = v.Get("bundle")
	}
	if !p.bundle.is(Object) || p.bundle.Has("bundle") {
		p.fault("SCHEMA_ERROR", "", "not one project bundle")
		return p.finish()
	}
	p.repeated, p.listed = map[*Value]bool{}, map[string]bool{}
	if list := p.bundle.Get("withdrawn"); list.is(Array) {
		for _, item := range list.Items {
			p.listed[item.text()] = item.is(String)
		}
	}
	p.checkForm()
	p.checkHash()
	if slices.ContainsFunc(p.findings, func(f Finding) bool { return strings.HasPrefix(f.Member, "stepRegistry") }) {
		return p.finish() // no structure and no steps without a registry of the right form
	}
	p.report.NodeReceipt = p.checkReceipt()
	p.public = p.report.NodeReceipt == Pass
	if p.options.RequireAttestation && p.report.NodeReceipt == Skipped {
		p.fault("ATTESTATION_MISSING", "meta.attestation", "an attestation was demanded")
	}
	p.checkRegistry()
	p.checkParents()
	p.checkEmbedded()
	p.checkListed()
	p.checkChain()
	p.report.StructuralValid = !slices.ContainsFunc(p.findings, func(f Finding) bool {
		return f.Code == "STEP_REGISTRY_MISMATCH" || f.Code == "CHAIN_BREAK_DETECTED" || f.Code == "SCHEMA_ERROR"
	})
	p.checkSteps()
	return p.finish()
}

var projectPriority = []string{"PROJECT_HASH_MISMATCH", "STEP_REGISTRY_MISMATCH", "CHAIN_BREAK_DETECTED",
	"CERTIFICATE_HASH_MISMATCH", "SCHEMA_ERROR"}

// finish chooses the code: by priority, else the first failing step's, else the first other finding's.
func (p *project) finish() ProjectReport {
	codes := []string{}
	for _, step := range p.report.Steps {
		switch step.Status {
		case "VERIFIED", "VERIFIED_CONFIDENTIAL":
			p.report.PassedSteps++
		case "FAILED":
			codes = append(codes, step.Code)
		}
	}
	sortFindings(p.findings)
	for _, finding := range p.findings {
		codes = append(codes, finding.Code)
	}
	p.report.Status, p.report.Code = "VERIFIED", "OK"
	if len(codes) > 0 {
		p.report.Status, p.report.Code = "FAILED", codes[0]
	}
	for _, code := range slices.Backward(projectPriority) {
		if slices.Contains(codes, code) {
			p.report.Code = code
		}
	}
	slices.SortStableFunc(p.findings, func(a, b Finding) int {
		return btoi(b.Code == p.report.Code) - btoi(a.Code == p.report.Code)
	})
	p.report.Findings = append([]Finding{}, p.findings...)
	p.report.Steps = append([]Step{}, p.report.Steps...)
	p.report.TotalSteps = len(p.registry)
	return p.report
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// checkForm checks the types of the members.
//
// See docs/spec.md, "Project bundle".
func (p *project) checkForm() {
	b := p.bundle
	if !b.Get("bundleType").isText(projectType) {
		p.fault("SCHEMA_ERROR", "bundleType", "not a project bundle")
	}
	for _, name := range []string{"version", "protocolVersion", "projectBundleId", "projectTitle", "startedAt", "completedAt"} {
		if member := b.Get(name); member != nil && !member.is(String) {
			p.fault("SCHEMA_ERROR", name, "not a string")
		}
	}
	integrity := b.Get("integrity")
	if !integrity.is(Object) {
		p.fault("SCHEMA_ERROR", "integrity", "not an object")
	} else if algorithm := integrity.Get("algorithm"); algorithm != nil && !algorithm.isText("sha256-canonical-json") {
		p.fault("SCHEMA_ERROR", "integrity.algorithm", "not a known algorithm")
	}
	if attestation := b.Path("meta", "attestation"); attestation.given() && !attestation.is(Object) {
		p.fault("SCHEMA_ERROR", "meta.attestation", "not an object")
	}
	if !IsHash(integrity.Get("projectHash")) {
		p.fault("INVALID_SHA256_FORMAT", "integrity.projectHash", "not a hash")
	}
	if !b.Get("stepRegistry").is(Array) {
		p.fault("SCHEMA_ERROR", "stepRegistry", "not an array")
		return
	}
	p.registry = b.Get("stepRegistry").Items
	seen := map[string]bool{}
	for i, entry := range p.registry {
		p.checkEntry(index("stepRegistry", i), entry)
		id := entry.Get("stepId").text()
		p.repeated[entry] = seen[id]
		seen[id] = true
	}
}

func (p *project) checkEntry(path string, entry *Value) {
	if !entry.is(Object) {
		p.fault("SCHEMA_ERROR", path, "not an object")
		return
	}
	if !isNonEmpty(entry.Get("stepId")) {
		p.fault("SCHEMA_ERROR", path+".stepId", "not a non-empty string")
	}
	if !IsHash(entry.Get("certificateHash")) {
		p.fault("INVALID_SHA256_FORMAT", path+".certificateHash", "not a hash")
	}
	for _, n := range []named{{"sequence", isInteger}, {"executionId", isString}, {"parentStepIds", isStrings}} {
		if member := entry.Get(n.name); member != nil && !n.rule(member) {
			p.fault("SCHEMA_ERROR", at(path, n.name), "against its rule")
		}
	}
}

// isInteger reports a whole number from -(2^53-1) to 2^53-1.
func isInteger(v *Value) bool {
	return v.is(Number) && math.Abs(v.Number) <= maxNumber && v.Number == math.Trunc(v.Number)
}

func isStrings(v *Value) bool {
	return v.is(Array) && !slices.ContainsFunc(v.Items, func(item *Value) bool { return !item.is(String) })
}

var projectScope = []string{"bundleType", "version", "protocolVersion", "projectBundleId", "projectTitle", "startedAt",
	"completedAt", "totalSteps", "stepRegistry", "projectGoal", "projectSummary", "appName", "frameworkName"}

// checkHash compares projectHash with the one computed.
//
// See docs/spec.md, "Project hash".
func (p *project) checkHash() {
	stated := p.bundle.Path("integrity", "projectHash")
	if !IsHash(stated) {
		return
	}
	p.report.ProjectHash = stated.Text
	scope := projectScope
	if tags := p.bundle.Get("tags"); tags.is(Array) && len(tags.Items) > 0 {
		scope = append([]string{"tags"}, scope...)
	}
	computed, err := hashCanonical(p.bundle.pick(scope...), SvcV1, "")
	if err != nil {
		p.fault("CANONICALIZATION_ERROR", err.Path, err.Rule)
		return
	}
	p.report.ProjectHashValid = computed == stated.Text
	if !p.report.ProjectHashValid {
		p.findings = append(p.findings, Finding{Code: "PROJECT_HASH_MISMATCH", Member: "integrity.projectHash",
			Detail: "not the computed hash", Expected: stated.Text, Computed: computed})
	}
}

// IsProject reports whether a value, or what it has as {bundle}, calls itself a project bundle.
func IsProject(v *Value) bool {
	return v.Get("bundleType").isText(projectType) || v.Path("bundle", "bundleType").isText(projectType)
}
