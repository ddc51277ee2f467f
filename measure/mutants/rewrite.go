package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A change is one place in the code and what it becomes.
type change struct {
	id    int
	place string // file:line:column
	what  string // such as "< → <="
}

// A rewriter puts all changes of one package into copies of its files.
type rewriter struct {
	pkg     *packages.Package
	root    string // what places begin at
	changes []change
	edits   []edit // of the current file
}

// An edit inserts text before the byte at an offset, instead of some bytes.
type edit struct {
	at, instead int
	text        string
}

// functions are added to each package. Their arguments are evaluated once each, as those of the operators are.
const functions = `package %s

import (
	"cmp"
	"fmt"
	"os"
	"sync"
)

var (
	mutantActive = os.Getenv("MUTANT")
	mutantSeen   sync.Map
	mutantFile   = os.Getenv("MUTANT_SEEN")
)

func mutantOn(id string) bool {
	if mutantFile != "" {
		if _, isKnown := mutantSeen.LoadOrStore(id, true); !isKnown {
			if f, err := os.OpenFile(mutantFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
				fmt.Fprintln(f, id)
				f.Close()
			}
		}
	}
	return mutantActive == id
}

func mutantLess[T cmp.Ordered](negated, bound string, a, b T) bool {
	if mutantOn(bound) {
		return a <= b
	}
	return (a < b) != mutantOn(negated)
}

func mutantLessEqual[T cmp.Ordered](negated, bound string, a, b T) bool {
	if mutantOn(bound) {
		return a < b
	}
	return (a <= b) != mutantOn(negated)
}

func mutantGreater[T cmp.Ordered](negated, bound string, a, b T) bool {
	return mutantLess(negated, bound, b, a)
}

func mutantGreaterEqual[T cmp.Ordered](negated, bound string, a, b T) bool {
	return mutantLessEqual(negated, bound, b, a)
}

type mutantNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

func mutantAdd[T mutantNumber](id string, a, b T) T {
	if mutantOn(id) {
		return a - b
	}
	return a + b
}

func mutantSub[T mutantNumber](id string, a, b T) T {
	if mutantOn(id) {
		return a + b
	}
	return a - b
}

func mutantMul[T mutantNumber](id string, a, b T) T {
	if mutantOn(id) && b != 0 {
		return a / b
	}
	return a * b
}

func mutantDiv[T mutantNumber](id string, a, b T) T {
	if mutantOn(id) {
		return a * b
	}
	return a / b
}
`

// rewrite writes copies with all changes into dir. It returns the overlay: the copy of each file.
func (r *rewriter) rewrite(dir string) (map[string]string, error) {
	overlay := make(map[string]string)
	folder := ""
	for i, file := range r.pkg.Syntax {
		name := r.pkg.CompiledGoFiles[i]
		folder = filepath.Dir(name)
		r.edits = nil
		ast.Inspect(file, r.visit)
		if len(r.edits) == 0 {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		overlay[name] = filepath.Join(dir, fmt.Sprintf("%d_%s", i, filepath.Base(name)))
		if err := os.WriteFile(overlay[name], apply(text, r.edits), 0o600); err != nil {
			return nil, err
		}
	}
	added := filepath.Join(dir, "mutant.go")
	overlay[filepath.Join(folder, "zz_mutant.go")] = added
	return overlay, os.WriteFile(added, fmt.Appendf(nil, functions, r.pkg.Name), 0o600)
}

// apply makes the edits, which may be nested in each other: of those at one place the outer one comes first.
func apply(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.at, b.at) })
	var out []byte
	last := 0
	for _, e := range edits {
		out = append(append(out, text[last:e.at]...), e.text...)
		last = e.at + e.instead
	}
	return append(out, text[last:]...)
}

func (r *rewriter) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok != token.CONST
	case *ast.ArrayType:
		return false // a length is constant
	case *ast.IfStmt:
		r.condition(n.Cond)
	case *ast.BinaryExpr:
		r.binary(n)
	}
	return true
}

// condition negates a condition that is no comparison.
func (r *rewriter) condition(x ast.Expr) {
	if b, ok := x.(*ast.BinaryExpr); ok && b.Op != token.LAND && b.Op != token.LOR {
		return
	}
	if r.isConstant(x) {
		return
	}
	r.wrap(x, "(", fmt.Sprintf(") != mutantOn(%q)", r.add(x.Pos(), "negated")))
}

// binary changes an operator. Its operands may be changed too.
func (r *rewriter) binary(b *ast.BinaryExpr) {
	if r.isConstant(b) {
		return
	}
	switch b.Op {
	case token.EQL, token.NEQ:
		r.wrap(b, "((", fmt.Sprintf(") != mutantOn(%q))", r.add(b.OpPos, b.Op.String()+" negated")))
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		r.order(b)
	case token.ADD, token.SUB, token.MUL, token.QUO:
		r.arithmetic(b)
	}
}

func (r *rewriter) order(b *ast.BinaryExpr) {
	names := map[token.Token]string{
		token.LSS: "mutantLess", token.LEQ: "mutantLessEqual", token.GTR: "mutantGreater", token.GEQ: "mutantGreaterEqual",
	}
	negated, bound := r.add(b.OpPos, b.Op.String()+" negated"), "none"
	if r.isConstant(b.X) || r.isConstant(b.Y) || !r.isFloat(b.X) { // two quantities that are measured are equal by chance only
		bound = r.add(b.OpPos, b.Op.String()+" at its bound")
	}
	r.call(b, fmt.Sprintf("%s(%q, %q, ", names[b.Op], negated, bound))
}

func (r *rewriter) isFloat(x ast.Expr) bool {
	basic, ok := r.pkg.TypesInfo.TypeOf(x).Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsFloat != 0
}

func (r *rewriter) arithmetic(b *ast.BinaryExpr) {
	basic, ok := r.pkg.TypesInfo.TypeOf(b).Underlying().(*types.Basic)
	if !ok || basic.Info()&(types.IsInteger|types.IsFloat) == 0 || basic.Info()&types.IsUntyped != 0 {
		return
	}
	name := map[token.Token]string{token.ADD: "mutantAdd", token.SUB: "mutantSub", token.MUL: "mutantMul", token.QUO: "mutantDiv"}[b.Op]
	r.call(b, fmt.Sprintf("%s(%q, ", name, r.add(b.OpPos, b.Op.String())))
}

// call makes a call of a binary expression.
func (r *rewriter) call(b *ast.BinaryExpr, head string) {
	r.wrap(b, head, ")")
	r.edits = append(r.edits, edit{at: r.offset(b.OpPos), instead: len(b.Op.String()), text: ","})
}

// wrap puts text around an expression. What is inside of it follows, so that the text before it comes out first.
func (r *rewriter) wrap(x ast.Expr, before, after string) {
	r.edits = append(r.edits, edit{at: r.offset(x.Pos()), text: before})
	end := edit{at: r.offset(x.End()), text: after}
	r.edits = slices.Insert(r.edits, r.firstAt(end.at), end) // before that of the expression around it
}

// firstAt is the index of the first edit at an offset, or the number of edits.
func (r *rewriter) firstAt(offset int) int {
	if i := slices.IndexFunc(r.edits, func(e edit) bool { return e.at == offset }); i >= 0 {
		return i
	}
	return len(r.edits)
}

func (r *rewriter) add(pos token.Pos, what string) string {
	p := r.pkg.Fset.Position(pos)
	id := len(r.changes) + 1
	r.changes = append(r.changes, change{id, fmt.Sprintf("%s:%d:%d", strings.TrimPrefix(p.Filename, r.root+"/"), p.Line, p.Column), what})
	return fmt.Sprint(id)
}

func (r *rewriter) offset(pos token.Pos) int { return r.pkg.Fset.Position(pos).Offset }

func (r *rewriter) isConstant(x ast.Expr) bool { return r.pkg.TypesInfo.Types[x].Value != nil }
