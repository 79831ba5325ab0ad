import { Kbd, Modal, Table } from '@mantine/core';
import { useContext } from 'react';
import { keysTexts } from '../texts/keys.ts';
import { KeysContext } from './use-keys.ts';

/** Lists the keys of the screen. */
export default function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const keys = useContext(KeysContext);
  return (
    <Modal opened onClose={onClose} title={keysTexts.title}>
      <Table>
        <Table.Tbody>
          <Table.Tr>
            <Table.Td>
              <Kbd>Ctrl</Kbd> <Kbd>K</Kbd>
            </Table.Td>
            <Table.Td>{keysTexts.palette}</Table.Td>
          </Table.Tr>
          {keys.list().map(({ key, text }) => (
            <Table.Tr key={key}>
              <Table.Td>
                <Kbd>{key}</Kbd>
              </Table.Td>
              <Table.Td>{text}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
