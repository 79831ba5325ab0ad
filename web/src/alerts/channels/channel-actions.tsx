import { Button } from '@mantine/core';
import { type AlertChannel, type AlertDelivery, testAlertChannel } from '@muster/client';
import { useState } from 'react';
import { showError } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { useMay } from '../../session/use-may.ts';
import { alertsTexts } from '../../texts/alerts.ts';

/** What is asked for before it is done. */
export type ChannelAction = 'change' | 'rotate' | 'turn' | 'remove';

interface ChannelActionsProps {
  readonly projectID: string;
  readonly channel: AlertChannel;
  readonly onTested: (delivery: AlertDelivery) => void;
  readonly onAction: (action: ChannelAction) => void;
}

export function ChannelActions({ projectID, channel, onTested, onAction }: ChannelActionsProps) {
  const may = useMay(projectID);
  const [isTesting, setIsTesting] = useState(false);
  const { name, kind, status } = channel;
  const test = async () => {
    setIsTesting(true);
    try {
      onTested(await testAlertChannel(client, { alertChannelID: channel.id }));
    } catch (error) {
      showError(error);
    } finally {
      setIsTesting(false);
    }
  };
  const isOff = status === 'disabled';
  return (
    <>
      {may('update:webhook') && (
        <>
          <Action
            text={alertsTexts.test}
            label={alertsTexts.testOf(name)}
            isBusy={isTesting}
            asksFirst={false}
            run={() => void test()}
          />
          <Action
            text={alertsTexts.change}
            label={alertsTexts.changeOf(name)}
            run={() => onAction('change')}
          />
          {kind === 'webhook' && (
            <Action
              text={alertsTexts.rotate}
              label={alertsTexts.rotateOf(name)}
              run={() => onAction('rotate')}
            />
          )}
          <Action
            text={isOff ? alertsTexts.enable : alertsTexts.disable}
            label={isOff ? alertsTexts.enableOf(name) : alertsTexts.disableOf(name)}
            run={() => onAction('turn')}
          />
        </>
      )}
      {may('delete:webhook') && (
        <Action
          text={alertsTexts.remove}
          label={alertsTexts.removeOf(name)}
          isDangerous
          run={() => onAction('remove')}
        />
      )}
    </>
  );
}

interface ActionProps {
  readonly text: string;
  /** Names the channel too, for screen readers. */
  readonly label: string;
  readonly isBusy?: boolean;
  /** False: it acts at once, and no dialog follows. */
  readonly asksFirst?: boolean;
  readonly isDangerous?: boolean;
  readonly run: () => void;
}

function Action({ text, label, isBusy = false, asksFirst = true, isDangerous = false, run }: ActionProps) {
  const dots = asksFirst ? '…' : '';
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={label + dots}
      loading={isBusy}
      onClick={run}
      {...(isDangerous ? { c: 'var(--muster-bad)' } : {})}
    >
      {text + dots}
    </Button>
  );
}
