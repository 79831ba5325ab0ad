import { auditSentences } from '@muster/contract';
import { auditTexts } from '../texts/audit.ts';

interface ActionGroup {
  readonly group: string;
  readonly items: { value: string; label: string }[];
}

/** The actions by what they are about, each group with a choice for all of it. */
export function actionChoices(): ActionGroup[] {
  const all = Object.keys(auditSentences);
  const subjects = [...new Set(all.map((action) => action.slice(0, action.indexOf('.'))))];
  return subjects.map((subject) => {
    const actions = all.filter((action) => action.startsWith(`${subject}.`));
    const name = `${subject.charAt(0).toUpperCase()}${subject.slice(1).replaceAll('_', ' ')}`;
    const one = actions.map((value) => ({
      value,
      label: `${name} ${value.slice(subject.length + 1).replaceAll('_', ' ')}`,
    }));
    const every = { value: `${subject}.*`, label: auditTexts.allOf(name) };
    return { group: name, items: actions.length === 1 ? one : [every, ...one] };
  });
}
