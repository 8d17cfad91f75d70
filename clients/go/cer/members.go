package cer

type rule func(*Value) bool

func isObject(v *Value) bool   { return v.is(Object) }
func isArray(v *Value) bool    { return v.is(Array) }
func isNumber(v *Value) bool   { return v.is(Number) }
func isString(v *Value) bool   { return v.is(String) }
func isTime(v *Value) bool     { _, ok := ParseTime(v); return ok }
func isLabel(v *Value) bool    { return v.is(String) && label(v.Text) }
func isNonEmpty(v *Value) bool { return v.is(String) && v.Text != "" }
func isRaw(v *Value) bool      { return v.is(String) || v.is(Object) || v.is(Array) }

func orNull(r rule) rule { return func(v *Value) bool { return v.is(Null) || r(v) } }

func oneOf(texts ...string) rule {
	return func(v *Value) bool {
		for _, text := range texts {
			if v.isText(text) {
				return true
			}
		}
		return false
	}
}

// removed reports a value that a reseal may lack: absent, or the literal.
func (e *evaluation) removed(v *Value) bool { return e.resealed() && (v == nil || v.isText(redacted)) }

// optional checks a member where it is present.
func (e *evaluation) optional(path string, v *Value, r rule) {
	if v != nil && !e.removed(v) && !r(v) {
		e.fault("SCHEMA_ERROR", path, "against its rule")
	}
}

func (e *evaluation) optionals(path string, parent *Value, rules []named) {
	for _, n := range rules {
		e.optional(at(path, n.name), parent.Get(n.name), n.rule)
	}
}

type named struct {
	name string
	rule rule
}

// required checks a member that must be present.
func (e *evaluation) required(path string, v *Value, r rule) {
	if v == nil && !e.removed(v) {
		e.fault("PROTECTED_FIELD_MISSING", path, "missing")
	}
	e.optional(path, v, r)
}

// mustHash checks a member that must be present and a hash.
func (e *evaluation) mustHash(path string, v *Value) bool {
	if e.removed(v) {
		return false
	}
	if !IsHash(v) {
		e.fault("INVALID_SHA256_FORMAT", path, "not a hash")
		return false
	}
	return true
}

// checkNames checks the names of the direct members of snapshot.
func (e *evaluation) checkNames(snapshot *Value) {
	for _, name := range snapshot.Names {
		if len(units(name)) > 256 || hasControl(name) {
			e.fault("SCHEMA_KEY_INVALID", at("snapshot", name), "over 256 units, or control characters")
		}
	}
}

func (e *evaluation) checkContext() {
	b := e.bundle
	e.optionals("", b, []named{{"context", isObject}, {"contextSummary", isObject}, {"policyEvaluation", isObject}})
	signals := b.Path("context", "signals")
	e.optional("context.signals", signals, isArray)
	if !signals.is(Array) {
		return
	}
	for i, signal := range signals.Items {
		path := index("context.signals", i)
		e.optional(path, signal, isObject)
		if !signal.is(Object) {
			continue
		}
		for _, n := range []named{{"type", isNonEmpty}, {"source", isNonEmpty}, {"payload", isObject}} {
			if member := signal.Get(n.name); !e.removed(member) && !n.rule(member) {
				e.fault("SCHEMA_ERROR", at(path, n.name), "missing or against its rule")
			}
		}
	}
}

var parameterRules = []named{{"temperature", isNumber}, {"maxTokens", isNumber}, {"topP", orNull(isNumber)}, {"seed", orNull(isNumber)}}

// checkParameters: under 1.3.1 exactly the four.
func (e *evaluation) checkParameters(parameters *Value) {
	e.optional("snapshot.parameters", parameters, isObject)
	if !parameters.is(Object) {
		return
	}
	if e.shape.protocol == "1.3.1" {
		for _, n := range parameterRules {
			if !parameters.Has(n.name) && !e.resealed() {
				e.fault("SCHEMA_ERROR", at("snapshot.parameters", n.name), "missing")
			}
		}
		if len(parameters.pick("temperature", "maxTokens", "topP", "seed").Names) != len(parameters.Names) {
			e.fault("SCHEMA_ERROR", "snapshot.parameters", "another member than the four")
		}
	}
	e.optionals("snapshot.parameters", parameters, parameterRules)
}

// isSealed reports a sealed value.
//
// See docs/spec.md, "Confidential executions".
func isSealed(v *Value) bool {
	return v.is(Object) && len(v.Names) == 3 && v.Get("_redacted").is(Bool) && v.Get("_redacted").Bool &&
		v.Get("scheme").isText("hmac-sha256-v1") && IsHash(v.Get("commitment"))
}
