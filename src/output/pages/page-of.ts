import type { DeletionComparison } from '../../deletion/plan/compare-policies.ts';
import type { Plan } from '../../deletion/plan/plan.ts';
import type { AuditReport } from '../documents/audit.ts';
import type { ForecastReport } from '../documents/forecast.ts';
import type { OrphansReport } from '../documents/orphans.ts';
import type { GraphReport } from '../documents/owners-and-tree.ts';
import type { SimulationReport } from '../documents/simulation.ts';
import type { SnapshotDiff } from '../documents/snapshot-diff.ts';
import type { StuckDeletionsReport } from '../documents/stuck.ts';
import type { DiagnosisReport } from '../documents/why.ts';
import type { RenderOptions } from '../style.ts';
import { auditPage } from './audit-page.ts';
import { comparisonPage } from './comparison-page.ts';
import { diffPage } from './diff-page.ts';
import { forecastPage } from './forecast-page.ts';
import { graphPage } from './graph-page.ts';
import { orphansPage } from './orphans-page.ts';
import type { PageData } from './page-data.ts';
import { planPage } from './plan-page.ts';
import { simulationPage } from './simulation-page.ts';
import { stuckPage, whyPage } from './why-page.ts';

/** The documents that have a page. */
export type PagedReport =
  | AuditReport
  | DeletionComparison
  | DiagnosisReport
  | ForecastReport
  | GraphReport
  | OrphansReport
  | Plan
  | SimulationReport
  | SnapshotDiff
  | StuckDeletionsReport;

/** What the page of a document shows. */
export function pageOf(report: PagedReport, options: RenderOptions): PageData {
  switch (report.kind) {
    case 'Audit':
      return auditPage(report, options);
    case 'DeletionComparison':
      return comparisonPage(report, options);
    case 'Diagnosis':
      return whyPage(report, options);
    case 'Forecast':
      return forecastPage(report, options);
    case 'Orphans':
      return orphansPage(report, options);
    case 'Owners':
    case 'Tree':
      return graphPage(report, options);
    case 'Plan':
      return planPage(report, options);
    case 'Simulation':
      return simulationPage(report, options);
    case 'SnapshotDiff':
      return diffPage(report, options);
    case 'StuckDeletions':
      return stuckPage(report, options);
  }
}
