package cer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// quorum says whether the witnesses that cosigned are enough.
type quorum func(cosigned map[string]bool) bool

type policyWitness struct {
	name string
	key  noteKey
}

// LogPolicy states which logs a caller accepts, and which cosignatures make their checkpoints valid.
type LogPolicy struct {
	logs      []noteKey
	witnesses []policyWitness
	isMet     quorum
}

type policyReader struct {
	policy  LogPolicy
	rules   map[string]quorum
	grouped map[string]bool
}

// ParseLogPolicy reads a policy.
//
// See https://c2sp.org/tlog-policy.
func ParseLogPolicy(text string) (*LogPolicy, error) {
	r := policyReader{rules: map[string]quorum{}, grouped: map[string]bool{}}
	for i, line := range strings.Split(text, "\n") {
		if strings.ContainsFunc(line, func(c rune) bool { return c != '\t' && unicode.IsControl(c) }) {
			return nil, fmt.Errorf("policy line %d: has a control character", i+1)
		}
		words := strings.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == '\t' })
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if err := r.line(words[0], words[1:]); err != nil {
			return nil, fmt.Errorf("policy line %d: %w", i+1, err)
		}
	}
	if r.policy.isMet == nil {
		return nil, fmt.Errorf("policy: needs one quorum line")
	}
	return &r.policy, nil
}

func (r *policyReader) line(keyword string, words []string) error {
	switch keyword {
	case "log":
		if len(words) < 1 || len(words) > 2 {
			return fmt.Errorf("log: needs a key and perhaps an address")
		}
		key, ok := parseVkey(words[0])
		if !ok || key.kind != logKey || slices.ContainsFunc(r.policy.logs, key.sameKey) {
			return fmt.Errorf("log: needs the key of a log that no other line has")
		}
		r.policy.logs = append(r.policy.logs, key)
		return nil
	case "witness":
		if len(words) < 2 || len(words) > 3 {
			return fmt.Errorf("witness: needs a name, a key and perhaps an address")
		}
		name := words[0]
		key, ok := parseVkey(words[1])
		if !ok || key.kind != witnessKey ||
			slices.ContainsFunc(r.policy.witnesses, func(w policyWitness) bool { return key.sameKey(w.key) }) {
			return fmt.Errorf("witness: needs the key of a witness that no other line has")
		}
		r.policy.witnesses = append(r.policy.witnesses, policyWitness{name, key})
		return r.define(name, func(cosigned map[string]bool) bool { return cosigned[name] })
	case "group":
		return r.group(words)
	case "quorum":
		return r.quorumLine(words)
	}
	return fmt.Errorf("must begin with log, witness, group or quorum")
}

func (r *policyReader) define(name string, met quorum) error {
	if _, known := r.rules[name]; known || name == "none" {
		return fmt.Errorf("%q is defined already, or reserved", name)
	}
	r.rules[name] = met
	return nil
}

func (r *policyReader) group(words []string) error {
	if len(words) < 3 {
		return fmt.Errorf("group: needs a name, a threshold and members")
	}
	members := words[2:]
	needed, ok := decimal(words[1])
	switch words[1] {
	case "all":
		needed, ok = uint64(len(members)), true
	case "any":
		needed, ok = 1, true
	}
	if !ok || needed < 1 || needed > uint64(len(members)) {
		return fmt.Errorf("group: threshold %s", strconv.Quote(words[1]))
	}
	parts := []quorum{}
	for _, member := range members {
		met, known := r.rules[member]
		if !known || r.grouped[member] {
			return fmt.Errorf("group: %q is not an earlier name, or in a group already", member)
		}
		r.grouped[member] = true
		parts = append(parts, met)
	}
	return r.define(words[0], func(cosigned map[string]bool) bool {
		met := uint64(0)
		for _, part := range parts {
			if part(cosigned) {
				met++
			}
		}
		return met >= needed
	})
}

func (r *policyReader) quorumLine(words []string) error {
	if r.policy.isMet != nil || len(words) != 1 {
		return fmt.Errorf("quorum: needs one line with one name")
	}
	met, known := r.rules[words[0]]
	if words[0] == "none" {
		met, known = func(map[string]bool) bool { return true }, true
	}
	if !known {
		return fmt.Errorf("quorum: %q is not an earlier name", words[0])
	}
	r.policy.isMet = met
	return nil
}
