import { hash } from 'node:crypto';
import { v7 } from 'uuid';

const maxSequence = 0x7ffff;
/** Ten digits of an id are 40 random bits. */
const ownDigits = 10;

/**
 * The id of the error that a report creates. Its time is when it happened, and the rest follows from where the report stands, such as
 * `INSTANCE SEQUENCE ITEM INDEX`.
 *
 * @param ordinal of the report among those of its batch: reports of the same millisecond keep their order
 */
export function siteReportID(place: string, at: number, ordinal: number): string {
  return v7({
    msecs: at,
    seq: ordinal & maxSequence,
    random: hash('sha256', place, 'buffer').subarray(0, 16),
  });
}

/** True if the error was created by the report with the id, or by one from the same place, whatever time that had. */
export function isFromSamePlace(errorID: string, reportID: string): boolean {
  return errorID.slice(-ownDigits) === reportID.slice(-ownDigits);
}
