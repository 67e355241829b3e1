/** Epoch milliseconds as metav1.Time writes them: RFC 3339, in UTC, whole seconds. */
export function timeOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
