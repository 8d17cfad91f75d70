import { MAX_DEPTH } from '@cer/cer-core';

/** The body is the outermost container, the value of a member may have 96 levels below it. @see docs/spec.md, "Strict JSON" */
export const REQUEST_DEPTH = MAX_DEPTH.requestMember + 1;
