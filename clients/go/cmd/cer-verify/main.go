// Command cer-verify verifies a certificate, a package or a project bundle offline.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"cer.example/verifier/cer"
)

// The exit codes of docs/spec.md, "Command line". 2 (NOT_FOUND) needs a lookup, which this command does not make.
const (
	exitVerified = 0
	exitFailed   = 1
	exitUsage    = 3
)

const maxBytes = 256 << 20

// The first bytes of compressed files, and the programs that make them.
var packed = map[string]string{"\x1f\x8b": "gzip", "PK\x03\x04": "zip", "\xfd7zXZ\x00": "xz", "BZh": "bzip2", "\x28\xb5\x2f\xfd": "zstd"}

const usage = `Usage: cer-verify verify FILE [--keys FILE] [--node NODE_ID] [--require-attestation] [--json]
`

const help = usage + `
  FILE                   a certificate, a package or a project bundle; - is standard input
  --keys FILE            the published keys of the node
  --node NODE_ID         fail unless this node signed
  --require-attestation  fail when no node signed
  --json                 write the report as JSON

Examples:
  cer-verify verify certificate.json --keys keys.json
  cer-verify verify project.json --keys keys.json --require-attestation --json
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

type call struct {
	file, keys string
	json       bool
	options    cer.Options
}

// parseCall takes flags before and after FILE.
func parseCall(args []string) (call, error) {
	c := call{}
	if len(args) > 0 && slices.Contains([]string{"help", "--help", "-h"}, args[0]) {
		return c, flag.ErrHelp
	}
	if len(args) == 0 || args[0] != "verify" {
		return c, errors.New("unknown command, verify is expected")
	}
	flags := flag.NewFlagSet("verify", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&c.keys, "keys", "", "the published keys of the node")
	flags.StringVar(&c.options.NodeID, "node", "", "fail unless this node signed")
	flags.BoolVar(&c.options.RequireAttestation, "require-attestation", false, "fail when no node signed")
	flags.BoolVar(&c.json, "json", false, "write the report as JSON")
	for args = args[1:]; len(args) > 0; {
		if err := flags.Parse(args); err != nil {
			return c, err
		}
		if args = flags.Args(); len(args) > 0 {
			if c.file != "" {
				return c, fmt.Errorf("more than one FILE")
			}
			c.file, args = args[0], args[1:]
		}
	}
	if c.file == "" {
		return c, fmt.Errorf("no FILE")
	}
	return c, nil
}

func run(args []string, stdout, stderr io.Writer) int {
	c, err := parseCall(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, help)
		return exitVerified
	}
	if err != nil {
		fmt.Fprintf(stderr, "cer-verify: %v\n%s", err, usage)
		return exitUsage
	}
	value, fault, err := readFile(c.file)
	if err == nil && c.keys != "" {
		c.options.Keys, err = readKeys(c.keys)
	}
	if err != nil {
		fmt.Fprintf(stderr, "cer-verify: %s\n", printable(err.Error()))
		return exitUsage
	}
	return present(evaluate(value, fault, c.options), c.json, stdout, stderr)
}

// result is what every kind of report has in common.
type result struct {
	Status      string        `json:"status"`
	Code        string        `json:"code"`
	Checks      cer.Checks    `json:"checks"`
	Reason      string        `json:"reason,omitempty"`
	ReasonCodes []string      `json:"reasonCodes"`
	Findings    []cer.Finding `json:"findings"`
	Report      any           `json:"report,omitempty"`
}

func evaluate(value *cer.Value, fault *cer.ParseError, options cer.Options) result {
	if fault != nil {
		checks := cer.Checks{BundleIntegrity: cer.Fail, NodeSignature: cer.Skipped, ReceiptConsistency: cer.Skipped, Envelope: cer.Skipped}
		finding := cer.Finding{Code: "SCHEMA_ERROR", Member: fault.Path, Detail: fault.Rule, Reason: "BUNDLE_CORRUPTED"}
		return result{Status: "FAILED", Code: finding.Code, Checks: checks, Reason: finding.Reason,
			ReasonCodes: []string{finding.Code, finding.Reason}, Findings: []cer.Finding{finding}}
	}
	if cer.IsProject(value) {
		report := cer.VerifyProject(value, options)
		integrity := cer.Pass
		if !report.ProjectHashValid || !report.StructuralValid || report.PassedSteps < report.TotalSteps && report.Code != "OK" {
			integrity = cer.Fail
		}
		checks := cer.Checks{BundleIntegrity: integrity, NodeSignature: report.NodeReceipt,
			ReceiptConsistency: report.NodeReceipt, Envelope: cer.Skipped}
		return result{report.Status, report.Code, checks, reason(report.Code, report.Findings), codes(report), report.Findings, report}
	}
	report := cer.Verify(value, options)
	return result{report.Status, report.Code, report.Checks, reason(report.Code, report.Findings), report.ReasonCodes, report.Findings, report}
}

// reason is the reason of the finding that decided, else its code.
func reason(code string, findings []cer.Finding) string {
	if code == "OK" {
		return ""
	}
	for _, finding := range findings {
		if finding.Code == code {
			return cmp.Or(finding.Reason, code)
		}
	}
	return code
}

// codes are that of a project, which may be of a step, and those of its findings, each once.
func codes(report cer.ProjectReport) []string {
	found := []string{}
	if report.Code != "OK" {
		found = append(found, report.Code)
	}
	for _, finding := range report.Findings {
		if !slices.Contains(found, finding.Code) {
			found = append(found, finding.Code)
		}
	}
	return found
}

// present writes the report. With exit 1 standard error holds exactly one JSON report.
func present(r result, asJSON bool, stdout, stderr io.Writer) int {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		fmt.Fprintf(stderr, "cer-verify: %v\n", err)
		return exitUsage
	}
	text = escaped(text)
	if asJSON {
		fmt.Fprintf(stdout, "%s\n", text)
	} else {
		readable(r, stdout)
	}
	if r.Status == "FAILED" {
		fmt.Fprintf(stderr, "%s\n", text)
		return exitFailed
	}
	return exitVerified
}

// obeyed reports whether a terminal may obey a character rather than show it: controls and directions of text.
func obeyed(r rune) bool {
	return r < 0x20 || r >= 0x7F && r <= 0x9F || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}

// printable is text of a certificate for a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if obeyed(r) {
			return utf8.RuneError
		}
		return r
	}, text)
}

// escaped is the same JSON without characters that a terminal may obey, except the line breaks between members.
func escaped(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range string(text) {
		if obeyed(r) && r != '\n' {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// limit is what a project that verifies does not show.
//
// See docs/spec.md, "Project verification".
func limit(r result) string {
	project, ok := r.Report.(cer.ProjectReport)
	switch {
	case !ok:
		return ""
	case project.NodeReceipt != cer.Pass:
		return ": integrity only, the project signed by no node"
	case project.AttestedSteps < project.TotalSteps:
		return ": the registration only, not every step"
	}
	return ""
}

func readable(r result, out io.Writer) {
	if r.Reason != "" {
		fmt.Fprintf(out, "%s (%s)\n", r.Status, r.Code)
	} else {
		fmt.Fprintln(out, r.Status+limit(r))
	}
	fmt.Fprintf(out, "  integrity %s, receipt signature %s, receipt content %s, envelope %s\n",
		r.Checks.BundleIntegrity, r.Checks.NodeSignature, r.Checks.ReceiptConsistency, r.Checks.Envelope)
	if project, ok := r.Report.(cer.ProjectReport); ok {
		fmt.Fprintf(out, "  steps: %d registered, %d verified, %d signed by a node\n",
			project.TotalSteps, project.PassedSteps, project.AttestedSteps)
	} else if r.Status != "FAILED" && r.Checks.NodeSignature == cer.Skipped {
		fmt.Fprintln(out, "  integrity only, signed by no node")
	}
	for _, finding := range r.Findings {
		fmt.Fprintf(out, "  %s: %s [%s]\n", printable(cmp.Or(finding.Member, "the file")), printable(finding.Detail), finding.Code)
	}
	if r.Status == "FAILED" {
		fmt.Fprintf(out, "  next: %s\n", cmp.Or(next[r.Code], askForOriginal))
	}
}

const (
	askForOriginal = "ask your source for the original, as the node returned it"
	checkKeys      = "check that the key set is that of the node which the receipt names, fetched recently"
)

// next is what to do about a code.
var next = map[string]string{
	"SCHEMA_ERROR":                      "check that it is the right file, and complete",
	"VERIFICATION_MATERIAL_UNAVAILABLE": "pass the saved key set of the node, /.well-known/svc-node.json: --keys FILE",
	"ATTESTATION_KEY_NOT_FOUND":         checkKeys,
	"ATTESTATION_INVALID_SIGNATURE":     checkKeys + ", or " + askForOriginal,
	"KEY_REVOKED":                       "ask for it to be attested again with a valid key",
}

func readKeys(path string) (*cer.KeySet, error) {
	value, fault, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if fault != nil {
		return nil, fmt.Errorf("%s: %w", path, fault)
	}
	keys, ok := cer.ParseKeySet(value)
	if !ok {
		return nil, fmt.Errorf("%s: not a key set: save that of the node, /.well-known/svc-node.json", path)
	}
	return keys, nil
}

// readFile reads a file with one open(), or standard input for -, without a byte order mark. Text that is not JSON is an
// error; a fault of strictness is returned apart.
func readFile(path string) (*cer.Value, *cer.ParseError, error) {
	file := os.Stdin
	if path != "-" {
		opened, err := os.Open(path)
		if err != nil {
			return nil, nil, err
		}
		defer opened.Close()
		file = opened
	}
	text, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err != nil {
		return nil, nil, err
	}
	if len(text) > maxBytes {
		return nil, nil, fmt.Errorf("%s: over %d bytes", path, maxBytes)
	}
	if bytes.HasPrefix(text, []byte("\x89PNG\r\n\x1a\n")) {
		return nil, nil, fmt.Errorf("%s: is a PNG: cer verify checks the certificate that a picture carries", path)
	}
	for start, program := range packed {
		if bytes.HasPrefix(text, []byte(start)) {
			return nil, nil, fmt.Errorf("%s: is compressed with %s: unpack it first", path, program)
		}
	}
	if len(text) == 0 {
		return nil, nil, fmt.Errorf("%s: is empty", path)
	}
	value, fault := cer.Parse(bytes.TrimPrefix(text, []byte("\ufeff")))
	if fault != nil && fault.Code == "JSON_SYNTAX" {
		return nil, nil, fmt.Errorf("%s: %w", path, fault)
	}
	return value, fault, nil
}
