package cer

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

const logVectors = "../../../packages/tlog/vectors/"

// naiveRoot, naivePath and naiveProof are the definitions of RFC 6962, 2.1, over all leaf hashes.
func naiveRoot(leaves []digest) digest {
	switch len(leaves) {
	case 0:
		return emptyRoot
	case 1:
		return leaves[0]
	}
	k := splitPoint(uint64(len(leaves)))
	return nodeHash(1, naiveRoot(leaves[:k]), naiveRoot(leaves[k:]))
}

func naivePath(index uint64, leaves []digest) []digest {
	if len(leaves) == 1 {
		return nil
	}
	k := splitPoint(uint64(len(leaves)))
	if index < k {
		return append(naivePath(index, leaves[:k]), naiveRoot(leaves[k:]))
	}
	return append(naivePath(index-k, leaves[k:]), naiveRoot(leaves[:k]))
}

func naiveProof(size uint64, leaves []digest, whole bool) []digest {
	if size == uint64(len(leaves)) {
		if whole {
			return nil
		}
		return []digest{naiveRoot(leaves)}
	}
	k := splitPoint(uint64(len(leaves)))
	if size <= k {
		return append(naiveProof(size, leaves[:k], whole), naiveRoot(leaves[k:]))
	}
	return append(naiveProof(size-k, leaves[k:], false), naiveRoot(leaves[:k]))
}

func someLeaves(count int) []digest {
	leaves := []digest{}
	for i := range count {
		leaves = append(leaves, leafHash(fmt.Appendf(nil, "leaf %d", i)))
	}
	return leaves
}

func changed(path []digest) []digest {
	other := append([]digest{}, path...)
	other[len(other)/2][0] ^= 1
	return other
}

func TestProofsOfSmallTrees(t *testing.T) {
	all := someLeaves(40)
	for n := uint64(1); n <= 40; n++ {
		leaves, root := all[:n], naiveRoot(all[:n])
		for i := range n {
			path := naivePath(i, leaves)
			if found, ok := rootByInclusion(leaves[i], i, n, path); !ok || found != root {
				t.Fatalf("leaf %d of %d", i, n)
			}
			if _, ok := rootByInclusion(leaves[i], i, n, append(path, root)); ok {
				t.Fatalf("leaf %d of %d with one hash more", i, n)
			}
			if n == 1 {
				continue
			}
			if _, ok := rootByInclusion(leaves[i], i, n, path[1:]); ok {
				t.Fatalf("leaf %d of %d with one hash less", i, n)
			}
			if found, _ := rootByInclusion(leaves[i], i, n, changed(path)); found == root {
				t.Fatalf("leaf %d of %d with another hash", i, n)
			}
		}
		if !consistent(0, n, emptyRoot, root, nil) || consistent(0, n, root, root, nil) {
			t.Fatalf("0 to %d", n)
		}
		for m := uint64(1); m <= n; m++ {
			path, old := naiveProof(m, leaves, true), naiveRoot(all[:m])
			if !consistent(m, n, old, root, path) {
				t.Fatalf("%d to %d", m, n)
			}
			if m < n && (consistent(m, n, root, root, path) || consistent(m, n, old, root, changed(path)) ||
				consistent(m, n, old, root, path[1:]) || consistent(m, n, old, root, append(path, root))) {
				t.Fatalf("%d to %d, changed", m, n)
			}
		}
	}
}

func TestOnlyOneRootIsThatOfAnEmptyTree(t *testing.T) {
	other := digest{1}
	for _, roots := range [][2]digest{{emptyRoot, other}, {other, emptyRoot}, {other, other}} {
		if consistent(0, 0, roots[0], roots[1], nil) {
			t.Fatalf("%x to %x", roots[0], roots[1])
		}
	}
	if !consistent(0, 0, emptyRoot, emptyRoot, nil) {
		t.Fatal("an empty tree is consistent with itself")
	}
}

func TestPolicies(t *testing.T) {
	whole, err := os.ReadFile(logVectors + "policy.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(whole)), "\n")
	without := func(word string) string {
		kept := []string{}
		for _, line := range lines {
			if !strings.HasPrefix(line, word) {
				kept = append(kept, line)
			}
		}
		return strings.Join(kept, "\n")
	}
	text := string(whole)
	for name, c := range map[string]struct {
		text string
		good bool
	}{
		"as it is":            {text, true},
		"tabs and comments":   {"# a comment\n\n" + strings.ReplaceAll(text, " ", "\t"), true},
		"all":                 {strings.Replace(text, "two 2", "two all", 1), true},
		"none":                {without("quorum") + "\nquorum none", true},
		"no quorum":           {without("quorum"), false},
		"two quorums":         {text + "quorum two", false},
		"a quorum of nothing": {without("quorum") + "\nquorum three", false},
		"too high":            {strings.Replace(text, "two 2", "two 4", 1), false},
		"too low":             {strings.Replace(text, "two 2", "two 0", 1), false},
		"a member twice":      {strings.Replace(text, "w1 w2 w3", "w1 w1 w3", 1), false},
		"an unknown member":   {strings.Replace(text, "w1 w2 w3", "w1 w2 w4", 1), false},
		"a name twice":        {strings.Replace(text, "witness w2", "witness w1", 1), false},
		"the name none":       {strings.Replace(text, "witness w1", "witness none", 1), false},
		"another key id":      {strings.Replace(text, "+08ab3961+", "+08ab3962+", 1), false},
		"a witness as log":    {strings.Replace(text, "witness w1 ", "log ", 1), false},
		"a log as witness":    {strings.Replace(text, "log ", "witness w0 ", 1), false},
		"a key twice":         {text + lines[1], false},
		"another word":        {text + "mirror x", false},
		"CR":                  {strings.ReplaceAll(text, "\n", "\r\n"), false},
	} {
		if _, err := ParseLogPolicy(c.text); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// proofOf is the first proof of the vectors with its policy.
func proofOf(t *testing.T) (LogClaim, string) {
	t.Helper()
	policy, err := os.ReadFile(logVectors + "policy.txt")
	if err != nil {
		t.Fatal(err)
	}
	file := readValue(t, logVectors+"proofs.json").Get("proofs").Items[0]
	at, _ := ParseTime(file.Path("receipt", "timestamp"))
	return LogClaim{Receipt: file.Get("receipt"), Signature: file.Get("signature").Text, Seconds: at.Unix(),
		Proof: file.Get("proof").Text, MmdSeconds: 3600}, string(policy)
}

func TestJudgement(t *testing.T) {
	claim, text := proofOf(t)
	judged := func(change func(*LogClaim), policy string) string {
		parsed, err := ParseLogPolicy(policy)
		if err != nil {
			t.Fatal(err)
		}
		other := claim
		change(&other)
		return JudgeLogProof(other, parsed)
	}
	swap := func(old, replacement string) func(*LogClaim) {
		return func(c *LogClaim) { c.Proof = strings.Replace(c.Proof, old, replacement, 1) }
	}
	keep := func(*LogClaim) {}
	broken := swap("2yqmyAAAAABpVzam", "2yqmyAAAAABpVzan")
	otherLog := strings.Join(strings.Split(text, "\n")[2:], "\n")
	for name, c := range map[string]struct {
		got, want string
	}{
		"right":                             {judged(keep, text), "included"},
		"a broken line of a witness":        {judged(broken, text), "LOG_SIGNATURE_INVALID"},
		"a log that the policy has not":     {judged(keep, otherLog), "LOG_UNKNOWN"},
		"that, and a broken line":           {judged(broken, otherLog), "LOG_UNKNOWN"},
		"no opening":                        {judged(swap("extra ", "other "), text), "LOG_PROOF_MALFORMED"},
		"another size":                      {judged(swap("\n256\n", "\n255\n"), text), "LOG_SIGNATURE_INVALID"},
		"an extension line":                 {judged(swap("IIE=\n", "IIE=\nmore\n"), text), "LOG_PROOF_MALFORMED"},
		"another receipt":                   {judged(func(c *LogClaim) { c.Receipt = newObject() }, text), "LOG_INCLUSION_INVALID"},
		"no receipt":                        {judged(func(c *LogClaim) { c.Receipt = nil }, text), "LOG_INCLUSION_INVALID"},
		"a receipt of an hour later":        {judged(func(c *LogClaim) { c.Seconds += 3600 }, text), "LOG_TIME_CONFLICT"},
		"a receipt of two hours before":     {judged(func(c *LogClaim) { c.Seconds -= 7200 }, text), "LOG_LATE"},
		"a checkpoint that is no note":      {judged(func(c *LogClaim) { noNote := "text"; c.NotBefore = &noNote }, text), "LOG_PROOF_MALFORMED"},
		"all witnesses, where two are had":  {judged(keep, strings.Replace(text, "two 2", "two all", 1)), "LOG_QUORUM_NOT_MET"},
		"no witness, where none is ordered": {judged(keep, strings.Replace(text, "quorum two", "quorum none", 1)), "included"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, not %s", name, c.got, c.want)
		}
	}
}

// TestLateCosignatures has checkpoints cosigned in the last second of the year 9999, and in the next.
func TestLateCosignatures(t *testing.T) {
	policy, err := ParseLogPolicy("log log.example+99562521+ASx2nwlCCxLLBPg7PYIL7Zfwfww9HJEay4gYQBaw3XOs\n" +
		"witness w1 witness.example+703cd931+BCtiKtFtfkTqhS1jFyMVMpJzq/8p2SkwGGmIPg0yn+WM\nquorum w1\n")
	if err != nil {
		t.Fatal(err)
	}
	note := "log.example\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n" +
		"\u2014 log.example mVYlIWVhDBw73Ab7+u9s0feWI8kE0fZ4nZGkwCPs5SGJKI4NOLMPTJfve26SQImdqpvbAIP67X+K4j3X+Mpw+cBALwM=\n"
	for line, want := range map[string]string{
		"cDzZMQAAADr/9EF/h76F1+SSSLlT42Z5vnrvygVddQZn6KEiwjr2W5v6blO5TU74Cp1LyB8LEWp/rbhJv21/3q4KbCAQ6AkXeD52Ag==": "",
		"cDzZMQAAADr/9EGA/c81mJdCKye0CQ5YQBYS9db4kll3p+hqKx8ne9IIRBbfDPFPuh9gLa79nxVosYMkTiccp4DuV0nzZX3u3plZBg==": "LOG_SIGNATURE_INVALID",
	} {
		c, ok := parseCheckpoint(note + "\u2014 witness.example " + line + "\n")
		if !ok {
			t.Fatal("a checkpoint is not read")
		}
		if times, got := policy.judge(c); got != want || want == "" && times["w1"][0] != lastTime {
			t.Errorf("%q, not %q, at %v", got, want, times)
		}
	}
}

// TestLogVectors runs the maps, peaks and proofs of the log that have a separate file, besides the conformance suite.
func TestLogVectors(t *testing.T) {
	policy, err := os.ReadFile(logVectors + "policy.txt")
	if err != nil {
		t.Fatal(err)
	}
	vectors := readValue(t, logVectors+"proofs.json")
	for i, test := range vectors.Get("proofs").Items {
		file := newObject()
		for _, name := range []string{"receipt", "signature", "proof", "notBefore"} {
			if test.Has(name) {
				file.set(name, test.Get(name))
			}
		}
		file.set("kind", textValue("proof"))
		file.set("policy", textValue(string(policy)))
		file.set("mmdSeconds", vectors.Get("mmdSeconds"))
		if outcome := AnswerLog(file).Get("outcome"); !equal(outcome, test.Get("expect")) {
			t.Errorf("proof %d is %s, not %s", i+1, canonical(outcome), canonical(test.Get("expect")))
		}
	}
	var tree struct{ Inclusion, Consistency []json.RawMessage }
	raw, err := os.ReadFile(logVectors + "tree.json")
	if err != nil || json.Unmarshal(raw, &tree) != nil || len(tree.Inclusion) < 60 || len(tree.Consistency) < 17 {
		t.Fatalf("%d inclusion and %d consistency proofs (%v)", len(tree.Inclusion), len(tree.Consistency), err)
	}
	for kind, rows := range map[string][]json.RawMessage{"inclusion": tree.Inclusion, "consistency": tree.Consistency} {
		for i, row := range rows {
			file, fault := Parse(row)
			if fault != nil {
				t.Fatal(fault)
			}
			file.set("kind", textValue(kind))
			if !AnswerLog(file).Get("valid").Bool {
				t.Errorf("%s %d", kind, i)
			}
		}
	}
}
