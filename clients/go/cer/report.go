package cer

import "sort"

// Finding is one thing that is wrong. Member is its path; it never holds a value of the bundle but hashes.
type Finding struct {
	Code     string `json:"code"`
	Member   string `json:"member"`
	Detail   string `json:"detail"`
	Expected string `json:"expected,omitempty"`
	Computed string `json:"computed,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// Checks are the outcomes of the layers: PASS, FAIL or SKIPPED.
type Checks struct {
	BundleIntegrity    string `json:"bundleIntegrity"`
	NodeSignature      string `json:"nodeSignature"`
	ReceiptConsistency string `json:"receiptConsistency"`
	Envelope           string `json:"envelope"`
}

// Outcomes of a check.
const (
	Pass    = "PASS"
	Fail    = "FAIL"
	Skipped = "SKIPPED"
)

// Report is the result for a bundle or package.
//
// See docs/spec.md, "Verification report", "Structured result" and "Classification".
type Report struct {
	Status          string    `json:"status"`
	Code            string    `json:"code"`
	Checks          Checks    `json:"checks"`
	ReasonCodes     []string  `json:"reasonCodes"`
	CertificateHash string    `json:"certificateHash"`
	BundleType      string    `json:"bundleType"`
	Classification  string    `json:"classification"`
	ContentMode     string    `json:"contentMode,omitempty"`
	Provenance      string    `json:"provenance,omitempty"`
	Relaxations     []string  `json:"relaxations"`
	Supplemental    bool      `json:"supplemental"`
	Findings        []Finding `json:"findings"`
}

// The codes in the order in which the first that applies is the code of the result.
var codeOrder = []string{
	"SCHEMA_ERROR", "SCHEMA_KEY_INVALID", "PROTECTED_FIELD_MISSING", "PROTECTED_SET_MISMATCH", "INVALID_SHA256_FORMAT",
	"CANONICALIZATION_ERROR", "SNAPSHOT_HASH_MISMATCH", "INPUT_HASH_MISMATCH", "OUTPUT_HASH_MISMATCH",
	"TOOL_OUTPUT_HASH_MISMATCH", "CERTIFICATE_HASH_MISMATCH", "PROJECT_HASH_MISMATCH", "STEP_REGISTRY_MISMATCH",
	"CHAIN_BREAK_DETECTED", "TOOL_EVIDENCE_MISSING", "INCOMPLETE_ARTIFACT", "ATTESTATION_MISSING",
	"VERIFICATION_MATERIAL_UNAVAILABLE", "ATTESTATION_KEY_NOT_FOUND", "KEY_REVOKED",
	"ATTESTATION_KEY_FORMAT_UNSUPPORTED", "ATTESTATION_INVALID_SIGNATURE", "UNKNOWN_ERROR",
}

func rank(code string) int {
	for i, known := range codeOrder {
		if known == code {
			return i
		}
	}
	return len(codeOrder)
}

func sortFindings(findings []Finding) {
	sort.SliceStable(findings, func(i, j int) bool { return rank(findings[i].Code) < rank(findings[j].Code) })
}

func firstCode(findings []Finding) string {
	if len(findings) == 0 {
		return "OK"
	}
	return findings[0].Code
}

// reasonCodes lists every code and reason, each once.
func reasonCodes(findings []Finding) []string {
	codes, seen := []string{}, map[string]bool{"": true}
	for _, finding := range findings {
		for _, code := range []string{finding.Code, finding.Reason} {
			if !seen[code] {
				seen[code] = true
				codes = append(codes, code)
			}
		}
	}
	return codes
}
