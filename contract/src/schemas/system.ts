import { type Static, Type } from 'typebox';
import { OneOf } from './common.ts';

export const Liveness = Type.Object(
  { status: OneOf(['ok']), version: Type.String({ examples: ['1.0.0'] }) },
  { description: 'The process is alive.' },
);
export type Liveness = Static<typeof Liveness>;

export const Readiness = Type.Object(
  { status: OneOf(['ready']), database: OneOf(['sqlite', 'postgres']) },
  { description: 'Requests are answered.' },
);
export type Readiness = Static<typeof Readiness>;
