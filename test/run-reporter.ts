import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Writes what the summary of `npm test` needs beside the results: what each file took of processors, and which tests had to be tried again. */
export default class RunReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const file = process.env.MUSTER_TEST_REPORT;
    if (file === undefined) return;
    const costs = modules.map((module) => ({
      file: module.relativeModuleId,
      project: module.project.name,
      seconds: module.meta().processorSeconds ?? 0,
    }));
    const flaky = modules.flatMap((module) =>
      [...module.children.allTests()]
        .filter((test) => test.diagnostic()?.flaky === true)
        .map((test) => `${module.relativeModuleId}: ${test.fullName}`),
    );
    writeFileSync(file, JSON.stringify({ costs, flaky }));
  }
}
