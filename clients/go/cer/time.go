package cer

import (
	"regexp"
	"strconv"
	"time"
)

var timeForm = regexp.MustCompile(
	`^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// ParseTime reads a time to the nanosecond.
//
// See docs/spec.md, "Times".
func ParseTime(v *Value) (time.Time, bool) {
	if !v.is(String) || !timeForm.MatchString(v.Text) {
		return time.Time{}, false
	}
	year, _ := strconv.Atoi(v.Text[:4])
	month, _ := strconv.Atoi(v.Text[5:7])
	day, _ := strconv.Atoi(v.Text[8:10])
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if date.Year() != year || int(date.Month()) != month || date.Day() != day {
		return time.Time{}, false
	}
	parsed, err := time.Parse(time.RFC3339Nano, v.Text)
	return parsed, err == nil
}
