package token

// HeapPercent is by how much the heap may grow at this moment.
var HeapPercent = heapPercent
