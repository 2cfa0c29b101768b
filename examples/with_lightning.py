"""evenhand inside Lightning: the accumulator is logged as Lightning's own metrics are.

python examples/with_lightning.py      needs pip install 'evenhand[lightning]'
"""

import lightning
import torch
from torchmetrics import MetricCollection

from evenhand.bridges.torch import Accumulator, soft_macro_f1_loss

K = 3


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Linear(4, K)
        self.macro_f1 = Accumulator("macro_f1", k=K)  # one metric, logged by itself
        self.several = MetricCollection(
            {m: Accumulator(m, k=K) for m in ("f1_of_averages", "mcc", "f1:label=2")},
            prefix="val_",
        )
        self.sure = Accumulator(["macro_f1"], k=K, intervals=True)

    def training_step(self, batch, _):
        x, y = batch
        loss = soft_macro_f1_loss(self.layers(x), y)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        logits = self.layers(x)
        self.macro_f1.update(logits, y)
        self.several.update(logits, y)
        self.sure.update(logits, y)
        self.log("val_macro_f1", self.macro_f1, on_epoch=True)
        self.log_dict(self.several, on_epoch=True)

    def on_validation_epoch_end(self):
        found = self.sure.compute()
        self.log_dict({f"val_sure_{name}": value for name, value in found.items()})
        self.sure.reset()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.05)


lightning.seed_everything(0, verbose=False)
centres = torch.randn(K, 4) * 2


def items(n):
    y = torch.multinomial(torch.tensor([0.8, 0.15, 0.05]), n, replacement=True)
    return torch.utils.data.TensorDataset(centres[y] + torch.randn(n, 4), y)


train, test = items(1024), items(500)
load = torch.utils.data.DataLoader
trainer = lightning.Trainer(
    max_epochs=4,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
model = Model()
trainer.fit(model, load(train, 128, shuffle=True), load(test, 64))
for name, value in sorted(trainer.callback_metrics.items()):
    print(f"{name:24} {value:.6f}")

# the same number by hand, on the CPU
import evenhand as eh  # noqa: E402

x, y = test.tensors
said = model.layers(x).argmax(1)
print(f"{'eh.macro_f1':24} {eh.macro_f1(y, said):.6f}")
