package cer

import (
	"encoding/base64"
	"slices"
	"strings"
)

const (
	proofHeader    = "c2sp.org/tlog-proof@v1"
	clockTolerance = 300
	maxPath        = 53
)

type tlogProof struct {
	opening    opening
	index      uint64
	path       []digest
	checkpoint checkpoint
}

// parseProof reads a proof and its opening without judging them.
//
// See https://c2sp.org/tlog-proof.
func parseProof(text string) (p tlogProof, ok bool) {
	head, note, found := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	if !found || len(lines) < 3 || lines[0] != proofHeader {
		return p, false
	}
	extra, ok1 := strings.CutPrefix(lines[1], "extra ")
	index, ok2 := strings.CutPrefix(lines[2], "index ")
	opened, ok3 := decodeBase64(base64.StdEncoding, extra)
	if !ok1 || !ok2 || !ok3 || len(lines)-3 > maxPath {
		return p, false
	}
	for _, line := range lines[3:] {
		hash, ok := hashIn64(line)
		if !ok {
			return p, false
		}
		p.path = append(p.path, hash)
	}
	p.opening, ok1 = parseOpening(opened)
	p.index, ok2 = decimal(index)
	p.checkpoint, ok3 = parseCheckpoint(note)
	return p, ok1 && ok2 && ok3
}

// cosigned are the times of the witnesses of a policy, by name.
type cosigned map[string][]int64

// judge checks the signatures of a checkpoint. Lines of keys that the policy does not name count for nothing.
func (policy *LogPolicy) judge(c checkpoint) (times cosigned, code string) {
	byLog, times := false, cosigned{}
	logs := slices.DeleteFunc(slices.Clone(policy.logs), func(key noteKey) bool { return key.name != c.origin })
	for _, line := range c.lines {
		byLog = byLog || slices.ContainsFunc(logs, line.isOf)
	}
	if !byLog {
		return nil, "LOG_UNKNOWN"
	}
	for _, line := range c.lines {
		if at := slices.IndexFunc(logs, line.isOf); at >= 0 {
			if _, ok := line.verify(c.text, logs[at]); !ok {
				return nil, "LOG_SIGNATURE_INVALID"
			}
		}
		for _, witness := range policy.witnesses {
			if !line.isOf(witness.key) {
				continue
			}
			seconds, ok := line.verify(c.text, witness.key)
			if !ok {
				return nil, "LOG_SIGNATURE_INVALID"
			}
			times[witness.name] = append(times[witness.name], seconds)
		}
	}
	return times, ""
}

func (policy *LogPolicy) isMetBy(times cosigned) bool {
	names := map[string]bool{}
	for name := range times {
		names[name] = true
	}
	return policy.isMet(names)
}

// quorumTime is the time of the cosignature with which the quorum is met, taking them in this order; it is false where
// the policy asks for no witness.
func (policy *LogPolicy) quorumTime(times cosigned, isBefore func(a, b int64) bool) (int64, bool) {
	type mark struct {
		name    string
		seconds int64
	}
	marks := []mark{}
	for name, each := range times {
		first := each[0]
		for _, seconds := range each {
			if isBefore(seconds, first) {
				first = seconds
			}
		}
		marks = append(marks, mark{name, first})
	}
	slices.SortFunc(marks, func(a, b mark) int {
		if isBefore(a.seconds, b.seconds) {
			return -1
		}
		if isBefore(b.seconds, a.seconds) {
			return 1
		}
		return 0
	})
	names := map[string]bool{}
	if policy.isMet(names) {
		return 0, false
	}
	for _, mark := range marks {
		names[mark.name] = true
		if policy.isMet(names) {
			return mark.seconds, true
		}
	}
	return 0, false
}

func earlier(a, b int64) bool { return a < b }
func later(a, b int64) bool   { return a > b }

// LogClaim is a receipt and what is said of its place in a log.
type LogClaim struct {
	Receipt   *Value
	Signature string
	// Seconds is the receipt's time, in seconds since 1970.
	Seconds int64
	Proof   string
	// NotBefore is a checkpoint without the receipt; nil where there is none.
	NotBefore *string
	// MmdSeconds is how late the operator promises to log at most.
	MmdSeconds int64
}

// JudgeLogProof returns "included", or the code of the first rule that the proof breaks.
//
// See docs/spec.md, "Log proofs".
func JudgeLogProof(claim LogClaim, policy *LogPolicy) string {
	proof, ok := parseProof(claim.Proof)
	notBefore, isWithout := checkpoint{}, claim.NotBefore != nil
	if ok && isWithout {
		notBefore, ok = parseCheckpoint(*claim.NotBefore)
	}
	if !ok {
		return "LOG_PROOF_MALFORMED"
	}
	times, code := policy.judge(proof.checkpoint)
	if code != "" {
		return code
	}
	receipt, written := receiptDigest(claim.Receipt, claim.Signature)
	root, ok := rootByInclusion(proof.opening.leafOf(receipt).hash(), proof.index, proof.checkpoint.size, proof.path)
	if !written || !ok || root != proof.checkpoint.root {
		return "LOG_INCLUSION_INVALID"
	}
	if !policy.isMetBy(times) {
		return "LOG_QUORUM_NOT_MET"
	}
	latest := claim.Seconds + claim.MmdSeconds + clockTolerance
	by, isBy := policy.quorumTime(times, earlier)
	if isBy && by < claim.Seconds-clockTolerance {
		return "LOG_TIME_CONFLICT"
	}
	if isWithout && notBefore.origin == proof.checkpoint.origin && notBefore.size <= proof.index {
		times, code := policy.judge(notBefore)
		if code == "" && policy.isMetBy(times) {
			if after, ok := policy.quorumTime(times, later); ok && after > latest {
				return "LOG_BACKDATED"
			}
		}
	}
	if isBy && by > latest {
		return "LOG_LATE"
	}
	return "included"
}
