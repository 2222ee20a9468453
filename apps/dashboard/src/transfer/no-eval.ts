import { config } from 'zod';

/** Schemas otherwise try whether they may compile code, which the content security policy reports as a violation. */
config({ jitless: true });
