import { answerQuestions } from '../processes/worker-process.ts';
import type { DataSetShape } from './data-set.ts';
import { fillPostgres } from './fill-postgres.ts';
import { fillSqlite } from './fill-sqlite.ts';

answerQuestions({
  sqlite: ({ dataDirectory, shape }: { dataDirectory: string; shape: DataSetShape }) =>
    fillSqlite(dataDirectory, shape),
  postgres: ({ databaseUrl, shape }: { databaseUrl: string; shape: DataSetShape }) =>
    fillPostgres(databaseUrl, shape),
});
