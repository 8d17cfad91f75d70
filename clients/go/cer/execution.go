package cer

import "regexp"

var executionRules = []named{
	{"modelVersion", orNull(isLabel)}, {"appId", orNull(isLabel)}, {"sdkVersion", orNull(isNonEmpty)}, {"metadata", isObject},
}

// checkExecution checks what v1 and v2 have in common.
func (e *evaluation) checkExecution(snapshot *Value) {
	for _, n := range []named{{"executionId", isLabel}, {"timestamp", isTime}, {"provider", isLabel}, {"model", isLabel}} {
		e.required(at("snapshot", n.name), snapshot.Get(n.name), n.rule)
	}
	e.optionals("snapshot", snapshot, executionRules)
	e.checkParameters(snapshot.Get("parameters"))
	if previous := snapshot.Get("prevStepHash"); previous.given() {
		e.mustHash("snapshot.prevStepHash", previous)
	}
	e.checkTools(snapshot.Get("toolCalls"))
}

// checkV1 checks the snapshot of an execution.
//
// See docs/spec.md, "cer.ai.execution.v1" and "legacy".
func (e *evaluation) checkV1(snapshot *Value) {
	e.optional("snapshot.type", snapshot.Get("type"), oneOf("ai.execution.v1"))
	e.optional("snapshot.executionSurface", snapshot.Get("executionSurface"), oneOf("ai"))
	e.checkExecution(snapshot)
	if e.shape.protocol == "1.3.1" {
		e.required("snapshot.parameters", snapshot.Get("parameters"), isObject)
		e.required("snapshot.prompt", snapshot.Get("prompt"), isNonEmpty)
		e.required("snapshot.input", snapshot.Get("input"), isSealed)
		e.required("snapshot.output", snapshot.Get("output"), isSealed)
	} else {
		e.optionals("snapshot", snapshot, []named{{"prompt", isNonEmpty}, {"input", isRaw}, {"output", isRaw}})
	}
	input := e.differs(snapshot, "snapshot", "input", "inputHash", true)
	output := e.differs(snapshot, "snapshot", "output", "outputHash", true)
	switch {
	case input.Computed != "" && output.Computed != "":
		input.Code = "SNAPSHOT_HASH_MISMATCH"
		e.value(input)
	case input.Computed != "":
		input.Code = "INPUT_HASH_MISMATCH"
		e.value(input)
	case output.Computed != "":
		output.Code = "OUTPUT_HASH_MISMATCH"
		e.value(output)
	}
}

// differs compares a raw or sealed value with its hash. The finding has Computed only where the two differ.
func (e *evaluation) differs(parent *Value, path, name, hashName string, required bool) Finding {
	value, hash := parent.Get(name), parent.Get(hashName)
	member := at(path, hashName)
	formed := (required || hash != nil) && e.mustHash(member, hash)
	if !formed || e.shape.profile == "" || !isRaw(value) || e.removed(value) || e.shape.protocol == "1.3.1" && !isSealed(value) {
		return Finding{}
	}
	computed, err := hashRaw(value, e.shape.profile, at(path, name))
	if err != nil {
		e.value(Finding{Code: "CANONICALIZATION_ERROR", Member: err.Path, Detail: err.Rule})
		return Finding{}
	}
	if hash.Text == computed {
		return Finding{}
	}
	return Finding{Member: member, Detail: "not the hash of the value", Expected: hash.Text, Computed: computed}
}

// checkTools checks toolCalls.
//
// See docs/spec.md, "Tool calls".
func (e *evaluation) checkTools(calls *Value) {
	e.optional("snapshot.toolCalls", calls, isArray)
	if !calls.is(Array) {
		return
	}
	for i, call := range calls.Items {
		path := index("snapshot.toolCalls", i)
		e.optional(path, call, isObject)
		if !call.is(Object) {
			continue
		}
		for _, n := range []named{{"toolId", isNonEmpty}, {"at", isTime}} {
			if member := call.Get(n.name); !e.removed(member) && !n.rule(member) {
				e.fault("SCHEMA_ERROR", at(path, n.name), "missing or against its rule")
			}
		}
		raw := rule(isRaw)
		if e.shape.protocol == "1.3.1" {
			raw = func(*Value) bool { return false }
		}
		e.optionals(path, call, []named{{"input", raw}, {"output", raw}})
		if !call.Has("output") && !call.Has("outputHash") && !e.resealed() {
			e.value(Finding{Code: "TOOL_EVIDENCE_MISSING", Member: path, Detail: "neither output nor outputHash"})
		}
		for _, side := range [][2]string{{"input", "INPUT_HASH_MISMATCH"}, {"output", "TOOL_OUTPUT_HASH_MISMATCH"}} {
			if found := e.differs(call, path, side[0], side[0]+"Hash", false); found.Computed != "" {
				found.Code = side[1]
				e.value(found)
			}
		}
	}
}

var looksLikeHash = regexp.MustCompile(`^(?i:sha-?256:)`)

// checkV2 checks the snapshot of an execution of version 2.
//
// See docs/spec.md, "cer.ai.execution.v2".
func (e *evaluation) checkV2(snapshot *Value) {
	if e.shape.protocol == "1.2.0" {
		e.unsupported("snapshot.protocolVersion", "not 1.3.0 or 1.3.1")
	}
	for _, n := range []named{
		{"protocolVersion", isString}, {"type", oneOf("ai.execution.v2")}, {"executionSurface", oneOf("ai")},
		{"modelVersion", orNull(isLabel)}, {"appId", orNull(isLabel)},
		{"executionRole", oneOf("advisory", "operative", "unspecified")},
	} {
		e.required(at("snapshot", n.name), snapshot.Get(n.name), n.rule)
	}
	e.checkExecution(snapshot)
	e.optional("snapshot.instruction", snapshot.Get("instruction"), isNonEmpty)
	e.optional("snapshot.instructionKind", snapshot.Get("instructionKind"), oneOf("system", "derived", "label"))
	if snapshot.Has("instruction") != snapshot.Has("instructionKind") && !e.resealed() {
		e.fault("SCHEMA_ERROR", "snapshot.instructionKind", "only with an instruction, and always with one")
	}
	content := rule(isRaw)
	if e.shape.protocol == "1.3.1" {
		content = isSealed
		e.required("snapshot.prompt", snapshot.Get("prompt"), isNonEmpty)
	} else if snapshot.Has("prompt") {
		e.fault("SCHEMA_ERROR", "snapshot.prompt", "only under 1.3.1")
	}
	for _, name := range []string{"input", "output"} {
		value := snapshot.Get(name)
		e.required(at("snapshot", name), value, content)
		if looksLikeHash.MatchString(value.text()) {
			e.mustHash(at("snapshot", name), value)
		}
	}
}

func (e *evaluation) checkProtectedSet() {
	fields := &Value{Kind: Array}
	for _, name := range hashScope {
		if e.bundle.Has(name) {
			fields.Items = append(fields.Items, textValue(name))
		}
	}
	expected := newObject()
	expected.set("protectedSetId", textValue("cer.ai.execution.v2"))
	expected.set("protectedFields", fields)
	expected.set("stabilitySchemeId", textValue(JcsV1))
	if !equal(expected, e.bundle.Get("protectedSet")) {
		e.fault("PROTECTED_SET_MISMATCH", "protectedSet", "not the set computed again")
	}
}

func isPositiveInteger(v *Value) bool {
	return v.is(Number) && v.Number >= 1 && v.Number <= 1<<53-1 && v.Number == float64(int64(v.Number))
}

func isNumbers(v *Value) bool {
	if !v.is(Array) {
		return false
	}
	for _, item := range v.Items {
		if !item.is(Number) {
			return false
		}
	}
	return true
}

// checkRender checks the snapshot of a render.
//
// See docs/spec.md, "cer.codemode.render.v1".
func (e *evaluation) checkRender(snapshot *Value) {
	if e.shape.protocol == "1.3.1" {
		e.unsupported("snapshot.protocolVersion", "not 1.2.0 or 1.3.0")
	}
	for _, n := range []named{
		{"type", oneOf("codemode.render.v1")}, {"executionId", isLabel}, {"timestamp", isTime}, {"seed", isString},
		{"vars", isNumbers}, {"execution", isObject}, {"canvas", isObject}, {"hashScheme", isNonEmpty},
		{"sdkVersion", isNonEmpty}, {"rendererVersion", isNonEmpty},
	} {
		e.required(at("snapshot", n.name), snapshot.Get(n.name), n.rule)
	}
	if execution := snapshot.Get("execution"); execution.is(Object) {
		e.within("snapshot.execution", execution, named{"mode", oneOf("static", "loop")})
	}
	if canvas := snapshot.Get("canvas"); canvas.is(Object) {
		e.within("snapshot.canvas", canvas, named{"width", isPositiveInteger})
		e.within("snapshot.canvas", canvas, named{"height", isPositiveInteger})
	}
	engine := snapshot.Get("engine")
	e.optional("snapshot.engine", engine, isObject)
	if engine.is(Object) {
		e.within("snapshot.engine", engine, named{"name", isNonEmpty})
	}
	for _, name := range []string{"codeHash", "outputHash", "imageHash"} {
		e.mustHash(at("snapshot", name), snapshot.Get(name))
	}
}

func (e *evaluation) within(path string, parent *Value, n named) {
	if member := parent.Get(n.name); !e.removed(member) && !n.rule(member) {
		e.fault("SCHEMA_ERROR", at(path, n.name), "missing or against its rule")
	}
}
