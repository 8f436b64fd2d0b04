package config

import "math"

// section is a mapping that has been checked against its settings. The zero
// answers of a nil section, or of a value that is bad, are never used: rules
// ask with ok first, and nothing is built while there are problems.
type section struct {
	path   string
	at     place // of its key, or of itself
	tag    string
	values map[string]*value
}

// value is what a setting has in one section, by default if it was not given.
type value struct {
	at      place // of the value, or of the section if there is none
	present bool  // the key stands there
	bad     bool  // and what it holds is not allowed
	set     any   // integer, float64, bool, string, []string or *section; nil for none
	preset  bool  // set is the default
}

// ok tells whether the section is there and none of the settings is bad, so
// that a rule can join them.
func (s *section) ok(names ...string) bool {
	if s == nil {
		return false
	}
	for _, name := range names {
		if v := s.values[name]; v == nil || v.bad {
			return false
		}
	}
	return true
}

// has tells whether a good value other than null was given.
func (s *section) has(name string) bool {
	return s.ok(name) && s.values[name].present && s.values[name].set != nil
}

// present tells whether the key stands there, whatever it holds.
func (s *section) present(name string) bool {
	return s != nil && s.values[name] != nil && s.values[name].present
}

// null tells whether the key stands there and holds null.
func (s *section) null(name string) bool {
	return s.ok(name) && s.values[name].present && s.values[name].set == nil
}

// place is where the value stands, or the section if it has none.
func (s *section) place(name string) place {
	if v := s.values[name]; v != nil {
		return v.at
	}
	return s.at
}

func (s *section) join(name string) string { return joinPath(s.path, name) }

func (s *section) get(name string) any {
	if s == nil {
		return nil
	}
	v, known := s.values[name]
	if !known {
		panic("config: no setting " + s.join(name))
	}
	return v.set
}

func (s *section) text(name string) string  { text, _ := s.get(name).(string); return text }
func (s *section) truth(name string) bool   { truth, _ := s.get(name).(bool); return truth }
func (s *section) real(name string) float64 { real, _ := s.get(name).(float64); return real }
func (s *section) list(name string) []string {
	list, _ := s.get(name).([]string)
	return list
}

// whole returns an integer that the check has found to fit.
func (s *section) whole(name string) int {
	i, _ := s.get(name).(integer)
	whole, _ := i.int64()
	return int(min(max(whole, math.MinInt), math.MaxInt))
}

func (s *section) unsigned(name string) uint64 {
	i, _ := s.get(name).(integer)
	return i.magnitude
}

// wholeOrNil is nil where the setting has no number: nothing, null or a word.
func (s *section) wholeOrNil(name string) *int {
	if _, ok := s.get(name).(integer); !ok {
		return nil
	}
	return new(s.whole(name))
}

func (s *section) realOrNil(name string) *float64 {
	if _, ok := s.get(name).(float64); !ok {
		return nil
	}
	return new(s.real(name))
}

// section returns a mapping below, nil if it is absent, null or bad.
func (s *section) section(name string) *section {
	below, _ := s.get(name).(*section)
	return below
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
