import { answerQuestions } from './check-worker.js';

answerQuestions();
