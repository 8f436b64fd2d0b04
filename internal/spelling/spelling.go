// Package spelling tells how far two words are apart, to suggest what somebody
// meant to write.
package spelling

// longest bounds the letters of a word that are compared.
const longest = 200

// Distance is how many letters must be inserted, removed, replaced or
// exchanged with their neighbour to turn one word into the other.
func Distance(from, to string) int {
	a, b := []rune(from), []rune(to)
	a, b = a[:min(len(a), longest)], b[:min(len(b), longest)]
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			rows[i][j] = min(replace, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
