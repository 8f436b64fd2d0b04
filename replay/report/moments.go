package report

import (
	"math"
	"math/big"
	"math/bits"
)

// moments gives count, bounds, mean and standard deviation of samples that are
// finite and not negative. Both sums are exact, so that the result depends
// neither on the order of the samples nor on how equal ones are told together.
type moments struct {
	count    int
	min, max float64
	sum      [35]uint64 // in units of 2^unit, the lowest word first
	squares  [68]uint64 // in units of 2^(2·unit)
}

// unit is the exponent of the smallest double.
const unit = -1074

// add counts a sample count times.
func (m *moments) add(x float64, count int) {
	if m.count == 0 {
		m.min, m.max = x, x
	}
	m.count += count
	m.min, m.max = min(m.min, x), max(m.max, x)

	// x is mantissa · 2^(shift+unit).
	mantissa, shift := math.Float64bits(x)&(1<<52-1), 0
	if exponent := int(math.Float64bits(x) >> 52); exponent > 0 {
		mantissa, shift = mantissa|1<<52, exponent-1
	}
	high, low := bits.Mul64(mantissa, uint64(count))
	addShifted(m.sum[:], [3]uint64{low, high}, shift)

	// mantissa² · count has three words.
	high, low = bits.Mul64(mantissa, mantissa)
	carry, first := bits.Mul64(low, uint64(count))
	third, second := bits.Mul64(high, uint64(count))
	second, c := bits.Add64(second, carry, 0)
	addShifted(m.squares[:], [3]uint64{first, second, third + c}, 2*shift)
}

// addShifted adds x · 2^shift to the number.
func addShifted(number []uint64, x [3]uint64, shift int) {
	number = number[shift/64:]
	up := shift % 64
	down := 64 - up // a shift by 64 gives 0
	var carry uint64
	number[0], carry = bits.Add64(number[0], x[0]<<up, 0)
	number[1], carry = bits.Add64(number[1], x[1]<<up|x[0]>>down, carry)
	number[2], carry = bits.Add64(number[2], x[2]<<up|x[1]>>down, carry)
	for i, more := 3, x[2]>>down; i < len(number) && more|carry != 0; i, more = i+1, 0 {
		number[i], carry = bits.Add64(number[i], more, carry)
	}
}

// mean returns the average, 0 without samples.
func (m *moments) mean() float64 {
	if m.count == 0 {
		return 0
	}
	mean, _ := quotient(integer(m.sum[:]), big.NewInt(int64(m.count)), unit).Float64()
	return mean
}

// std returns the standard deviation of the samples as a population, 0 without
// samples.
func (m *moments) std() float64 {
	if m.count == 0 {
		return 0
	}
	// The variance is (n·Σx² − (Σx)²) / n².
	n, sum := big.NewInt(int64(m.count)), integer(m.sum[:])
	variance := integer(m.squares[:])
	variance.Mul(variance, n).Sub(variance, sum.Mul(sum, sum))
	q := quotient(variance, n.Mul(n, n), 2*unit)
	std, _ := q.Sqrt(q).Float64()
	return std
}

// integer returns the number whose words are given, the lowest first.
func integer(words []uint64) *big.Int {
	text := make([]byte, 0, 8*len(words))
	for i := len(words) - 1; i >= 0; i-- {
		for shift := 56; shift >= 0; shift -= 8 {
			text = append(text, byte(words[i]>>shift))
		}
	}
	return new(big.Int).SetBytes(text)
}

// quotient returns a/b · 2^exponent, far more precisely than a double.
func quotient(a, b *big.Int, exponent int) *big.Float {
	const precision = 128
	// Quotients are rounded, integers are not.
	q := new(big.Float).SetPrec(precision).Quo(new(big.Float).SetInt(a), new(big.Float).SetInt(b))
	return q.SetMantExp(q, exponent)
}
