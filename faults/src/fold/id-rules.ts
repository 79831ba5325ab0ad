import type { FoldRule } from './fold-rule.ts';

const by = '<id>';

/** Ids of anything: chunks, requests, pods, containers, commits. */
export const idRules: readonly FoldRule[] = [
  {
    name: 'chunk of Fluent Bit',
    start: 'digit',
    match: /\d{1,10}-\d{9,11}\.\d{1,9}\.flb(?!\w)/,
    by: '<chunk>',
    example: {
      text: "chunk '15071-1795220971.323253476.flb' cannot be retried: task_id=0, input=dummy.0 > output=es.0",
      pattern:
        "chunk '<chunk>' cannot be retried: task_id=<number>, input=dummy.<number> > output=es.<number>",
    },
  },
  {
    name: 'acknowledgement of the forward protocol',
    start: 'letter',
    match: /ACK: mismatch received=[\w+/=]{0,256}, expected=\([\w+/=]{0,256}\)/,
    by: 'ACK: mismatch received=<id>, expected=(<id>)',
    example: {
      text: 'ACK: mismatch received=n0aA9lKZQZ2oQzYdL9sT1w==, expected=(Zr+kXb/Q0pT8yUe5vL2g==)',
      pattern: 'ACK: mismatch received=<id>, expected=(<id>)',
    },
  },
  ...(['digit', 'letter'] as const).flatMap((start): FoldRule[] => [
    {
      name: `UUID, first a ${start}`,
      start,
      match: /[\da-fA-F]{8}-[\da-fA-F]{4}-[\da-fA-F]{4}-[\da-fA-F]{4}-[\da-fA-F]{12}(?!\w)/,
      by,
      example: {
        text: `request ${start === 'digit' ? '0' : 'a'}f8fad5b-d9cb-469f-a165-70867728950e failed`,
        pattern: 'request <id> failed',
      },
    },
    {
      name: `hexadecimal id, first a ${start}`,
      start,
      match: /(?=\d{0,15}[a-fA-F])(?=[a-fA-F]{0,15}\d)[\da-fA-F]{8,128}(?!\w)/,
      by,
      example: {
        text: `container ${start === 'digit' ? '4' : 'c'}0ffee1234ab is gone`,
        pattern: 'container <id> is gone',
      },
    },
    {
      name: `random id, first a ${start}`,
      start,
      match:
        /(?=[A-Za-z]{0,20}\d[A-Za-z]{0,20}\d[A-Za-z]{0,20}\d)(?=\d{0,20}[A-Za-z])[\dA-Za-z]{20,128}(?!\w)/,
      by,
      example: {
        text: `job ${start === 'digit' ? '01' : 'J1'}HZX3K4M5N6P7Q8R9S0T1V2W3 failed`,
        pattern: 'job <id> failed',
      },
    },
    {
      name: `id of a request, first a ${start}`,
      start,
      match:
        /(?<=\b(?:[rR]equest|[tT]race|[cC]orrelation)[-_ ]?[iI][dD]["']?[:=] ?["']?|\b(?:req|request)-)(?=[\d-]{0,64}[A-Za-z])(?=[A-Za-z-]{0,64}\d)[\dA-Za-z-]{4,64}(?![\w<-])/,
      by,
      example: {
        text: `{"requestId":"${start === 'digit' ? '4' : 'K'}X7NJ8K2MP", "trace-id": "${start === 'digit' ? '7' : 'q'}q9-4k2"}`,
        pattern: '{"requestId":"<id>", "trace-id": "<id>"}',
      },
    },
  ]),
  {
    name: 'pod after its kind',
    start: 'letter',
    match: /POD [a-z\d][a-z\d.-]{0,252}(?![\w.<-])/,
    by: 'POD <pod>',
    example: {
      text: 'could not get meta for POD fluent-bit-xkcpz',
      pattern: 'could not get meta for POD <pod>',
    },
  },
  {
    name: 'pod of a deployment',
    start: 'letter',
    match:
      /[a-z][a-z\d]{0,62}(?:-[a-z\d]{1,32}){0,8}?-[bcdf-hj-np-tv-z2456789]{8,10}-[bcdf-hj-np-tv-z2456789]{5}(?![\w-])/,
    by: '<pod>',
    example: { text: 'pod checkout-7d9f8b6c5d-xk2lp not found', pattern: 'pod <pod> not found' },
  },
  {
    name: 'digest',
    start: 'letter',
    match: /sha(?:1|256|512):[\da-f]{32,128}(?!\w)/,
    by,
    example: {
      text: 'image sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 is missing',
      pattern: 'image <id> is missing',
    },
  },
];
