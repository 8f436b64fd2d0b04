package agentic

// column is a list that grows without being moved, so that it never takes
// more memory than what is in it and one page.
type column[T any] struct {
	pages [][]T
	size  int
}

const pageSize = 4096

func (c *column[T]) add(value T) {
	if c.size%pageSize == 0 {
		c.pages = append(c.pages, make([]T, pageSize))
	}
	c.pages[c.size/pageSize][c.size%pageSize] = value
	c.size++
}

// at returns value number i, from 0.
func (c *column[T]) at(i int) T { return c.pages[i/pageSize][i%pageSize] }
