"""Train for macro F1: a soft loss beside cross-entropy and weighted cross-entropy, ten seeds.

python examples/with_torch.py      needs pip install 'evenhand[torch]'

Four classes that overlap, the rarest one item in a hundred. Cross-entropy hardly ever predicts it;
with classes weighted by their rarity it is predicted far too often; the soft macro F1 of each batch
looks for the best between the two. Every seed draws its own data, and all losses see the same.
"""

import math

import torch
from scipy.stats import t

from evenhand.bridges.torch import measure, soft_f1_of_averages_loss, soft_macro_f1_loss

SHARES = torch.tensor([0.84, 0.10, 0.05, 0.01])
K, SIDES, SEEDS, STEPS, BATCH = len(SHARES), 6, 10, 150, 512
torch.set_num_threads(1)


def items(n, centres, seed):
    """Items around the centre of their class, in each class as many as its share."""
    source = torch.Generator().manual_seed(seed)
    y = torch.multinomial(SHARES, n, replacement=True, generator=source)
    return centres[y] + torch.randn(n, SIDES, generator=source), y


def trained(loss, x, y, seed):
    torch.manual_seed(seed)
    model = torch.nn.Sequential(torch.nn.Linear(SIDES, 24), torch.nn.Tanh(), torch.nn.Linear(24, K))
    steps = torch.optim.Adam(model.parameters(), lr=0.03)
    for _ in range(STEPS):
        batch = torch.randint(0, len(y), (BATCH,))
        steps.zero_grad()
        loss(model(x[batch]), y[batch]).backward()
        steps.step()
    return model


def interval(values):
    """Mean and 95 % interval over seeds, by Student's t."""
    values = torch.tensor(values, dtype=torch.float64)
    half = t.ppf(0.975, len(values) - 1) * values.std().item() / math.sqrt(len(values))
    return f"{values.mean():.3f} [{values.mean() - half:.3f}, {values.mean() + half:.3f}]"


def weighted(logits, target):
    return torch.nn.functional.cross_entropy(logits, target, 1 / (K * SHARES))


LOSSES = {
    "cross-entropy": torch.nn.functional.cross_entropy,
    "weighted cross-entropy": weighted,
    "soft macro F1": soft_macro_f1_loss,
    "soft F1 of averages": soft_f1_of_averages_loss,
}
METRICS = ["macro_f1", "f1_of_averages", "mcc"]
found = {name: {metric: [] for metric in METRICS} for name in LOSSES}
centres = torch.randn(K, SIDES, generator=torch.Generator().manual_seed(1)) * 0.5
for seed in range(SEEDS):
    x, y = items(4000, centres, 2 * seed)
    x_test, y_test = items(8000, centres, 2 * seed + 1)
    for name, loss in LOSSES.items():
        said = trained(loss, x, y, seed)(x_test).argmax(1)
        for metric, value in measure(y_test, said, metrics=METRICS, k=K).items():
            found[name][metric].append(value.item())

print(f"{'trained by':24}" + "".join(f"{metric:24}" for metric in METRICS))
for name, scores in found.items():
    print(f"{name:24}" + "".join(f"{interval(scores[metric]):24}" for metric in METRICS))
print("\nmacro F1 of soft macro F1, less that of")
for other in ("cross-entropy", "weighted cross-entropy"):
    pairs = zip(found["soft macro F1"]["macro_f1"], found[other]["macro_f1"], strict=True)
    print(f"{other:24}{interval([ours - theirs for ours, theirs in pairs])}")
