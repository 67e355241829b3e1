/** What pod garbage collection decides by, and where its controller's memory begins. */
export const podGcReads: readonly string[] = ['pods', 'nodes', 'leases.coordination.k8s.io'];
