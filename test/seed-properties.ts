import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.MUSTER_TEST_SEED) });
