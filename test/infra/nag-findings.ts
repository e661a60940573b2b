import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Report {
  readonly pluginReports: readonly {
    readonly violations: readonly { readonly ruleName: string }[];
    readonly suppressedViolations?: readonly NagAnswer[];
  }[];
}

export interface NagAnswer {
  readonly ruleName: string;
  readonly reason: string;
}

/** What cdk-nag found in a synthesised app: what nobody answered, and what was answered with a reason. */
export function nagFindings({ outdir }: { readonly outdir: string }): {
  readonly open: readonly string[];
  readonly answers: readonly NagAnswer[];
} {
  const { pluginReports } = JSON.parse(
    readFileSync(join(outdir, 'validation-report.json'), 'utf8'),
  ) as Report;
  return {
    open: pluginReports
      .flatMap(({ violations }) => violations.map(({ ruleName }) => ruleName))
      // Warnings of our own are listed beside them.
      .filter((ruleName) => !ruleName.startsWith('Annotation::layover:')),
    answers: pluginReports.flatMap(({ suppressedViolations = [] }) => suppressedViolations),
  };
}
