"""Corrected formulas of the founding documents, where a claim's own numbers do not say them."""

CORRECTED = {
    "000-theorem-2": "gap > 0 ⇔ two classes with hits differ in prevalence/bias; as printed where "
    "every class has a hit",
    "000-table-2": "F1′ = 231/416 = 0.5553, so 0.56",
    "000-appendix-c-gamma": "γ_i = 2 Σ_{x≠i} (P_i R_x − P_x R_i)²/((P_i + R_i)(P_x + R_x))",
    "000-appendix-c-boundary": "Q* = {(0, 1), (1, 0)}ⁿ",
    "000-appendix-c-steps": "in three steps: (i), (ii), (iii)",
    "000-appendix-c-derivative": "((Σ_j y_j)S − Σ_ij x_i y_j)/S² > 0 with S = Σ_i x_i + Σ_j y_j",
    "000-appendix-c-even": "blocks (1 0; z 1) along the diagonal, 0 elsewhere",
    "000-appendix-e-undefined": "a/b = 0 where b = 0, as equation 1 has it",
    "001-example-names": "the lists of 28 integers: [[6, 1, 1], [1, 5, 2], [2, 3, 7]]",
    "003-eq-3": "∂metric/∂m_ij ≥ 0 if i = j, and ≤ 0 if i ≠ j",
    "003-mcc-kappa": "|MCC| ≥ |KAPPA|, with the same sign",
    "003-mcc-kappa-reason": "2 p·b ≤ p·p + b·b, so √((s² − p·p)(s² − b·b)) ≤ s² − p·b",
    "003-appendix-b-3": "row_i/Σcol; row_i/Σrow; 2row_i/(Σrow + Σcol)",
    "003-eq-31": "macP = 1/n Σ P_i = 1/n Σ p_i = 1/n",
    "003-eq-33-34": "∂macF1/∂m_ii = 2(Z_i − 2 correct(i))/(n Z_i²), Z_i = bias(i) + prevalence(i)",
    "003-eq-36-37": "2(R̄²·∂P̄ + P̄²·∂R̄)/(P̄ + R̄)²",
    "003-eq-38": "(cs − p·b)/(s² − p·b)",
    "003-eq-39": "((c − z)D_K − (2s − z)N_K)/D_K²",
    "003-eq-41-43": "(2D_M²(c − z) − N_M(2s − v)(s² − b·b) − N_M(2s − u)(s² − p·p))/(2D_M³)",
    "004-appendix-a": "2/(n Σ_x (P_x + R_x))",
}
"""By claim; where a claim is not here, what it computes is the correction."""

KINDS = {
    "Errors of the document": ("misprint", "fails as printed"),
    "Damage of the text that was at hand, not the authors'": ("rendering",),
}
