import { answerQuestions } from '../processes/worker-process.ts';
import { reconnect } from './reconnecting-client.ts';

answerQuestions({ reconnect });
