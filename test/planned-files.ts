import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { knowsEngine } from './knows-engine.ts';
import longTests from './long-tests.json' with { type: 'json' };

/**
 * Begins the files of a project that take longest first, so that no worker is still busy with one when the others have
 * run out of work. Files that are not listed follow, those with more text first.
 *
 * Leaves out of the second engine what cannot know the engine. This takes as long as it takes to read what the files import, so it is done for those of the run alone.
 */
export class PlannedFiles extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(
      files.filter(({ project, moduleId }) => project.name !== 'postgres' || knowsEngine(moduleId)),
    );
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    return projects.flatMap((name) =>
      sorted
        .filter(({ project }) => project.name === name)
        .toSorted((one, other) => this.#rank(one) - this.#rank(other)),
    );
  }

  #rank({ moduleId }: TestSpecification): number {
    const index = longTests.indexOf(relative(this.ctx.config.root, moduleId));
    return index === -1 ? longTests.length : index;
  }
}
