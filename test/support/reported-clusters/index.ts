import { aboutCollection } from './collection.ts';
import { aboutControllers } from './controllers.ts';
import { aboutFinalizers } from './finalizers.ts';
import { odd } from './odd.ts';
import type { ReportedCluster } from './parts.ts';
import { aboutPrograms } from './programs.ts';
import { aboutReports } from './reports.ts';
import { aboutWrites } from './writes.ts';

/** What a real cluster can hold, beside each other. */
export const clustersOnServers: readonly ReportedCluster[] = [
  ...aboutWrites,
  ...aboutCollection,
  ...aboutFinalizers,
  ...aboutReports,
  ...aboutControllers,
];

/** With those of kinds that are defined for them, and of numbers that are never to be put into a real cluster. */
export const reportedClusters: readonly ReportedCluster[] = [
  ...clustersOnServers,
  ...aboutPrograms,
  ...odd,
];
