// The examples are tests themselves: what they show is true.
import '../examples/cascade.test.ts';
