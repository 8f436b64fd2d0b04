package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	maxBytes  = 1 << 20 // of a document; a hundred times what anybody writes
	maxTokens = 50_000  // names, values and marks; some work of the parser is quadratic in them
	maxDepth  = 64      // of nesting; the schema needs six levels
	maxMerged = 100_000 // fields that merge keys may copy in one document
)

// parseDocument reads the one YAML document of a source. The root is nil when
// the document is empty. The second result is every key that stands twice in
// one mapping; the last one counts.
func parseDocument(src *source) (root *node, duplicates []duplicate, problem *Diagnostic) {
	text, problem := cleanText(src)
	if problem != nil {
		return nil, nil, problem
	}
	file, problem := parseAST(src, text)
	if problem != nil {
		return nil, nil, problem
	}
	var body ast.Node
	documents := 0
	for _, document := range file.Docs {
		if document.Body != nil && document.Body.Type() == ast.DirectiveType {
			continue // it belongs to the document that follows
		}
		documents++
		if documents > 1 {
			at := place{src, 1, 1}
			if document.Start != nil {
				at = tokenPlace(src, document.Start)
			} else if document.Body != nil {
				at = tokenPlace(src, document.Body.GetToken())
			}
			return nil, nil, newDiagnostic(at, "", "a second YAML document begins here", "one document")
		}
		body = document.Body
	}
	if body == nil {
		return nil, nil, nil
	}
	c := composer{source: src, anchors: map[string]*node{}}
	root = c.compose(body, 0)
	if c.problem != nil {
		return nil, nil, c.problem
	}
	return root, c.duplicates, nil
}

// lineEnds makes one of the three kinds of line ends.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// cleanText returns the text without a byte-order mark and with plain line
// ends, or the first thing that no YAML text may hold. The source keeps it so,
// for its lines to be those that are counted.
func cleanText(src *source) (string, *Diagnostic) {
	src.text = lineEnds.Replace(strings.TrimPrefix(src.text, "\ufeff"))
	text := src.text
	if len(text) > maxBytes {
		return "", newDiagnostic(place{src, 1, 1}, "", fmt.Sprintf("the text is %d bytes long", len(text)), fmt.Sprintf("at most %d", maxBytes))
	}
	line, column := 1, 1
	for i, r := range text {
		at := place{src, line, column}
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			return "", newDiagnostic(at, "", fmt.Sprintf("the byte 0x%02x is not part of a UTF-8 character", text[i]), "a text in UTF-8")
		case r < ' ' && r != '\t' && r != '\n', r == 0x7f, r == 0xfffe, r == 0xffff:
			return "", newDiagnostic(at, "", fmt.Sprintf("the control character U+%04X stands here", r), "a text")
		}
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
	}
	return text, nil
}

// parseAST has the library parse a text, whose nesting is bounded first: the
// parser recurses, and needs time that is quadratic in the depth.
func parseAST(src *source, text string) (file *ast.File, problem *Diagnostic) {
	defer func() {
		// The parser is foreign code that meets foreign text. A slip of it
		// must look like what it is: a text that it cannot read.
		if recover() != nil {
			problem = newDiagnostic(place{src, 1, 1}, "", "the YAML parser cannot read this text", "well-formed YAML")
		}
	}()
	tokens := lexer.Tokenize(text)
	if len(tokens) > maxTokens {
		return nil, newDiagnostic(tokenPlace(src, tokens[maxTokens]), "", "the text has too many names and values", fmt.Sprintf("at most %d, marks included", maxTokens))
	}
	if deep := tooDeep(tokens); deep != nil {
		return nil, depthProblem(tokenPlace(src, deep))
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err == nil {
		return file, nil
	}
	at, message := place{src, 1, 1}, err.Error()
	var syntax interface {
		GetMessage() string
		GetToken() *token.Token
	}
	if errors.As(err, &syntax) {
		at, message = tokenPlace(src, syntax.GetToken()), syntax.GetMessage()
	}
	return nil, newDiagnostic(at, "", "malformed YAML: "+printable(message), "")
}

// tooDeep returns the first token that nests deeper than a configuration may:
// in brackets, or by indicators in one line, as "- - - -". Nesting by
// indentation is left to the composer, as it needs ever longer lines.
func tooDeep(tokens token.Tokens) *token.Token {
	brackets, indicators, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			indicators, line = 0, t.Position.Line
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			brackets++
		case token.MappingEndType, token.SequenceEndType:
			brackets--
		case token.SequenceEntryType, token.MappingKeyType:
			indicators++
		case token.AnchorType, token.TagType:
			if brackets == 0 {
				indicators++
			}
		}
		if brackets > maxDepth || indicators > maxDepth {
			return t
		}
	}
	return nil
}

func depthProblem(at place) *Diagnostic {
	return newDiagnostic(at, "", "values are nested too deeply here", fmt.Sprintf("at most %d levels", maxDepth))
}

func tokenPlace(src *source, t *token.Token) place {
	if t == nil || t.Position == nil {
		return place{src, 1, 1}
	}
	return place{src, max(t.Position.Line, 1), max(t.Position.Column, 1)}
}
