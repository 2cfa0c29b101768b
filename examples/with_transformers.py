"""evenhand inside Hugging Face's Trainer: both macro F1s, with intervals, at every evaluation.

python examples/with_transformers.py [FOLDER]      needs pip install 'evenhand[transformers]'
"""

import math
import os
import sys
import tempfile

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # the model is made here, nothing is fetched

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

from evenhand.bridges.transformers import compute_metrics

LABELS = ["ham", "spam", "other"]
torch.manual_seed(0)


def texts(n):
    """Sequences of random words; what they are about is the most frequent of three words."""
    about = torch.multinomial(torch.tensor([0.7, 0.2, 0.1]), n, replacement=True)
    words = torch.randint(10, 60, (n, 12))
    words[:, 3:6] = (5 + about)[:, None]
    noise = torch.rand(n) < 0.1
    about = torch.where(noise, torch.randint(0, 3, (n,)), about)
    return [{"input_ids": w, "labels": y} for w, y in zip(words, about, strict=True)]


model = BertForSequenceClassification(
    BertConfig(
        vocab_size=60,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
        num_labels=3,
    )
)
folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()
evaluated = compute_metrics(labels=LABELS)


def trainer(**how):
    return Trainer(
        model=model,
        args=TrainingArguments(
            output_dir=folder,
            num_train_epochs=3,
            learning_rate=5e-3,
            per_device_train_batch_size=32,
            per_device_eval_batch_size=64,
            eval_strategy="epoch",
            save_strategy="epoch",
            load_best_model_at_end=True,
            metric_for_best_model="f1_of_averages",
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
            **how,
        ),
        train_dataset=train,
        eval_dataset=test,
        compute_metrics=evaluated,
    )


train, test = texts(512), texts(256)
run = trainer()
run.train()
print(f"best step by eval_{run.args.metric_for_best_model}: {run.state.best_metric:.4f}")
found = run.evaluate()
for name in ("eval_macro_f1", "eval_macro_f1_low", "eval_macro_f1_high", "eval_f1_of_averages"):
    print(f"{name:24} {found[name]:.4f}")
print(evaluated.scores)

again = trainer(batch_eval_metrics=True).evaluate()
same = all(
    math.isclose(again[name], found[name]) for name in found if name.startswith("eval_macro_f1")
)
print("the same, batch by batch:", same)
