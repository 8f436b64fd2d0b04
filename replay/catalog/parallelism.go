package catalog

import "fmt"

// Parallelism is how a model is spread over GPUs. Each number is at least 1.
type Parallelism struct {
	Tensor        int
	Pipeline      int
	AttentionData int
	MoETensor     int
	MoEExpert     int
}

// weightBlock is the width of the blocks that share a scale in the form
// fp8_block.
const weightBlock = 128

// check tells whether a model can be spread so (timing-aic.md 2.1).
func (p Parallelism) check(m *Model) error {
	refuse := func(rule, format string, args ...any) error {
		return &Error{Field: ParallelismField, Found: fmt.Sprintf(format, args...), Rule: rule}
	}
	ranks, experts := p.Tensor*p.AttentionData, p.MoETensor*p.MoEExpert
	switch mixture := m.Family != Llama; {
	case m.Heads%p.Tensor != 0:
		return refuse("tensor divides the heads", "the %d attention heads of %s cannot be shared by %d ranks", m.Heads, m.Name, p.Tensor)
	case ranks != experts && (mixture || experts > 1):
		return refuse("both halves of a layer run on the same ranks",
			"tensor × attention_data is %d, moe_tensor × moe_expert is %d", ranks, experts)
	case mixture && p.MoEExpert > m.Experts:
		return refuse("a rank has one expert at least", "the %d experts of %s cannot be shared by %d ranks", m.Experts, m.Name, p.MoEExpert)
	case mixture && m.Quant.MoE == "fp8_block" && m.MoEInter/p.MoETensor%weightBlock != 0:
		return refuse(fmt.Sprintf("the share of a rank is a multiple of the weight blocks of %d", weightBlock),
			"moe_tensor %d leaves %d of the %d columns of an expert of %s to a rank", p.MoETensor, m.MoEInter/p.MoETensor, m.MoEInter, m.Name)
	}
	return nil
}

// log2 is the row of tables by tensor size, which stop at 8. Other sizes than
// powers of two have none.
func (p Parallelism) log2() (row int, known bool) {
	row, known = map[int]int{1: 0, 2: 1, 4: 2, 8: 3}[min(p.Tensor, 8)]
	return row, known
}
