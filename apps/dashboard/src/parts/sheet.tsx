import type { ReactNode } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Button } from './button.tsx';
import { useTexts } from './texts-context.tsx';

interface SheetProps {
  title: string;
  /** `side`: at the edge, for reading; `center`: for a form or a question */
  place: 'side' | 'center';
  onClose: () => void;
  /** `alertdialog` for a question that needs an answer */
  role?: 'dialog' | 'alertdialog';
  children: ReactNode;
}

/** A dialog over the page. It keeps the focus inside until it is closed, then returns it. */
export function Sheet({ title, place, onClose, role = 'dialog', children }: SheetProps) {
  const { t } = useTexts();
  return (
    <ModalOverlay
      className={`overlay ${place}`}
      isOpen
      isDismissable={role === 'dialog'}
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <Modal className={`sheet ${place}`}>
        <Dialog role={role} className="sheet-body">
          <div className="sheet-head">
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <Button kind="plain" icon="close" aria-label={t('action.close')} onPress={onClose} />
          </div>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
