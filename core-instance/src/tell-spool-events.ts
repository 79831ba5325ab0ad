import type { SiteLog } from './site-log.ts';
import type { SpoolEvent } from './spool/spool-event.ts';

/** Says what happens to the spool in sentences. */
export function tellSpoolEvents(log: SiteLog): (event: SpoolEvent) => void {
  return (event) => {
    switch (event.kind) {
      case 'damaged':
        log.error(
          `The spool file ${event.file} is damaged: ${event.records} or more records were lost, and the others are sent. Check the disk.`,
          { bytes: event.bytes },
        );
        break;
      case 'expired':
        log.error(
          `${event.reports === 1 ? '1 report' : `${event.reports} reports`} from ${toTime(event.from)} to ${toTime(event.to)} ${event.reports === 1 ? 'was' : 'were'} dropped, because Muster could not be reached for longer than they are kept.`,
        );
        break;
      case 'newer':
        log.error(
          `The spool file ${event.file} was written by a newer version of this program (format ${event.version}). To send it, start that version again now: the next start of this one takes it for sent, if something behind it was.`,
        );
        break;
      case 'full':
        log.error(
          'The spool is full: new errors are refused with 503 until Muster has taken some. Nothing that was acknowledged is lost.',
          { bytes: event.bytes },
        );
        break;
      case 'has_room':
        log.info('The spool has room again.');
        break;
      case 'write_failed':
        log.error('The spool cannot be written: what agents send is refused with 503. Check the disk.', {
          err: event.error,
        });
        break;
      case 'tending_failed':
        log.warn('Old files of the spool could not be tidied up. It is tried again.', { err: event.error });
        break;
    }
  };
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
