package cer

type layout int

const (
	layoutUnknown layout = iota
	layoutV1
	layoutV2
	layoutRender
	layoutHashOnly
	layoutFlat
)

// shape is what the type of a bundle says of its layout.
type shape struct {
	layout    layout
	reseal    bool
	effective *Value // the protocol that copies repeat, known or not
	protocol  string // the effective one, "" where it is unknown
	profile   string // "" where the protocol is unknown
}

var layoutsBySnapshotType = map[string]layout{
	"ai.execution.v1": layoutV1, "ai.execution.v2": layoutV2, "codemode.render.v1": layoutRender,
}

var flatMembers = []string{"runtimeHash", "codeHash", "seed", "varsHash", "protocolVersion"}

// readShape reads type, layout and protocol.
func (e *evaluation) readShape() shape {
	b := e.bundle
	snapshot := b.Get("snapshot")
	s := shape{}
	switch kind := b.Get("bundleType"); {
	case (kind == nil || kind.isText("legacy")) && isFlat(b):
		s.layout = layoutFlat
	case kind.isText("legacy"):
		if snapshot.is(Object) && !(snapshot.Has("type") && snapshot.Has("executionSurface")) {
			s.layout = layoutV1
		}
	case kind.isText("cer.ai.execution.v1"):
		s.layout = layoutV1
	case kind.isText("cer.ai.execution.v2"):
		s.layout = layoutV2
	case kind.isText("cer.codemode.render.v1"):
		s.layout = layoutRender
	case kind.isText(hashOnly):
		s.layout = layoutHashOnly
	case kind.isText(resealType):
		s.reseal, s.layout = true, layoutsBySnapshotType[snapshot.Get("type").text()]
		if snapshot.Get("type") == nil {
			s.layout = layoutV1
		}
	}
	protocol := snapshot.Get("protocolVersion")
	if s.layout == layoutFlat {
		protocol = b.Get("protocolVersion")
	}
	if s.effective = protocol; !protocol.given() {
		s.effective = textValue("1.2.0")
	}
	switch {
	case !protocol.given() || protocol.isText("1.2.0"):
		s.protocol, s.profile = "1.2.0", SvcV1
	case protocol.isText("1.3.0") || protocol.isText("1.3.1"):
		s.protocol, s.profile = protocol.Text, JcsV1
	}
	return s
}

func isFlat(b *Value) bool {
	for _, name := range flatMembers {
		if !b.Has(name) {
			return false
		}
	}
	return !b.Has("snapshot")
}

// labelled reports the unsigned labels of reseals by older nodes.
func (e *evaluation) labelled() bool {
	meta := e.bundle.Get("meta")
	return e.bundle.Get("bundleType").isText("cer.ai.execution.v1") &&
		(meta.Path("provenance", "kind").isText("redacted_reseal") || meta.Path("attestation", "mode").isText("redacted_reseal"))
}

// readsAsOlderReseal needs a valid receipt over the bundle's hash beside the label.
//
// See docs/spec.md, "signed-redacted-reseal".
func (e *evaluation) readsAsOlderReseal() bool { return e.labelled() && e.receiptPasses() }
