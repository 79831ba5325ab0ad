import { type Static, Type } from 'typebox';
import { OneOf } from './common.ts';

export const Liveness = Type.Object({ status: OneOf(['ok']), version: Type.String({ examples: ['1.0.0'] }) });
export type Liveness = Static<typeof Liveness>;

export const Readiness = Type.Object({ status: OneOf(['ready']), database: OneOf(['sqlite', 'postgres']) });
export type Readiness = Static<typeof Readiness>;
