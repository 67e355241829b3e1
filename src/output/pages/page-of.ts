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

type PageOf<R> = (report: R, options: RenderOptions) => PageData;

const pages: { readonly [K in PagedReport['kind']]: PageOf<Extract<PagedReport, { kind: K }>> } = {
  Audit: auditPage,
  DeletionComparison: comparisonPage,
  Diagnosis: whyPage,
  Forecast: forecastPage,
  Orphans: orphansPage,
  Owners: graphPage,
  Plan: planPage,
  Simulation: simulationPage,
  SnapshotDiff: diffPage,
  StuckDeletions: stuckPage,
  Tree: graphPage,
};

/** What the page of a document shows. */
export function pageOf(report: PagedReport, options: RenderOptions): PageData {
  return (pages[report.kind] as PageOf<PagedReport>)(report, options);
}
