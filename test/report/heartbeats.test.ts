import { describe, expect } from 'vitest';
import { eventually, it, type ReportBench } from './report-process.ts';

/** What an operator sees of the one agent. */
async function shown(bench: ReportBench) {
  return (await bench.agents()).map(({ status, statusReason }) => ({ status, statusReason }));
}

const fails = (code: number) => ['--', 'sh', '-c', `echo "[error] no" >&2; exit ${code}`];

describe.concurrent('the status of an agent that muster report runs', () => {
  it('is stopped after a clean end', async ({ bench }) => {
    await bench.run(fails(0));
    expect(await shown(bench)).toEqual([{ status: 'stopped', statusReason: 'Stopped with exit code 0.' }]);
  });

  it('is unhealthy after a failure, and a crash loop after three', async ({ bench }) => {
    await bench.run(fails(3));
    const failed = { status: 'unhealthy', statusReason: 'Stopped with exit code 3.' };
    expect(await shown(bench)).toEqual([failed]);
    await bench.run(fails(4));
    await bench.run(fails(5));
    expect(await shown(bench)).toEqual([
      {
        status: 'unhealthy',
        statusReason: 'Crash loop: stopped with a failure 3 times, last with exit code 5.',
      },
    ]);
  });

  it('is unhealthy after it was killed', async ({ bench }) => {
    await bench.run(['--', 'sh', '-c', 'kill -KILL $$']);
    expect(await shown(bench)).toEqual([{ status: 'unhealthy', statusReason: 'Stopped by SIGKILL.' }]);
  });

  it('is healthy while the agent runs, and stopped after a signal to end', async ({ bench }) => {
    const script = 'echo "[error] no" >&2; trap "exit 9" TERM; while :; do sleep 0.05; done';
    const report = bench.start(['--', 'sh', '-c', script]);
    const [running] = await eventually(
      () => shown(bench),
      ([agent]) => agent?.status === 'unhealthy',
    );
    expect(running?.statusReason).toBe('Has 1 open error of its current configuration.');
    report.process.kill('SIGTERM');
    expect((await report.ended).code).toBe(9);
    expect(await shown(bench)).toEqual([{ status: 'stopped', statusReason: 'Stopped by SIGTERM.' }]);
  });

  it('is stopped when the pipe that it writes to has ended', async ({ bench }) => {
    await bench.run(['-'], { input: '[error] no\n' });
    expect(await shown(bench)).toEqual([
      { status: 'stopped', statusReason: 'Stopped without giving a reason.' },
    ]);
  });
});
